from common import Paper
PAPER=Paper('x','x','paper_slides.csv','','')

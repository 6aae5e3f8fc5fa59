from common import Paper
PAPER=Paper('x','x','paper_columns.csv','','')

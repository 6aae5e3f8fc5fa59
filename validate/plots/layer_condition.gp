# Memory loads over the size of the plane, one line per block.
load 'style.gp'
data = 'layer_condition.dat'
stats data using 1 nooutput name 'S'
set terminal svg size 940,540 font face.',12' background 'white'
set output 'layer_condition.svg'
set title 'Range-4 star, f64, 537 million cells in growing planes: lines predicted, points measured' font ',14'
set xlabel 'cells along x and y' textcolor rgb ink
set ylabel 'memory loads [B per lattice update]' textcolor rgb ink
set logscale x
set xrange [240:2700]
set xtics (256, 384, 512, 640, 768, 1024, 1280, 1536, 2048, 2560)
set yrange [0:*]
set key outside right center samplen 3 title 'block'
plot for [i=1:S_blocks] data index i-1 using 1:3 with lines lw 1.5 lc rgb colour[i] title columnheader(1), \
     for [i=1:S_blocks] data index i-1 using 1:2 every ::1 with points pt mark[i] ps 0.7 lc rgb colour[i] notitle, \
     -1 with lines lw 1.5 lc rgb ink title 'predicted', -1 with points pt 7 ps 0.7 lc rgb ink title 'measured'

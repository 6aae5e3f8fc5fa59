# Of the sectors requested again, the share that is loaded again, over the oversubscription of the L1.
load 'style.gp'
data = 'l1_reload.dat'
stats data using 1 nooutput name 'S'
set terminal svg size 1180,500 font face.',12' background 'white'
set output 'l1_reload.svg'
set multiplot layout 1,3 title 'L1: sectors that are loaded again' font ',14' textcolor rgb ink
set xrange [0:3.5]; set yrange [-0.1:0.8]
set xlabel 'lines of the resident blocks / L1' textcolor rgb ink
set ylabel 'share of repeated sectors loaded again' textcolor rgb ink
set key left top reverse Left samplen 1
set title 'measured'
plot for [i=2:S_blocks] data index i-1 using 1:2 with points pt mark[i-1] ps 0.45 lc rgb colour[i-1] title columnheader(1)
unset key
set title 'predicted'
plot for [i=2:S_blocks] data index i-1 using 1:3 with points pt mark[i-1] ps 0.45 lc rgb colour[i-1] title columnheader(1)
set title 'measured, repetition between warps only'
set ylabel 'share / share between warps' textcolor rgb ink
set key left top reverse Left samplen 2
plot data index 0 using 1:2 every ::1 with lines lw 2 lc rgb ink title 'law of the model', \
     for [i=2:S_blocks] data index i-1 using 1:4 every ::1 with points pt mark[i-1] ps 0.45 lc rgb colour[i-1] notitle
unset multiplot

# Predicted over measured, one panel per metric. gnuplot -c scatter.gp NAME draws scatter_NAME.svg from scatter_NAME.dat.
name = ARG1
load 'style.gp'
data = 'scatter_'.name.'.dat'
array titles[6] = ['L1 wavefronts', 'L2 to L1 loads', 'L1 to L2 stores', 'memory loads', 'memory stores', 'time']
array units[6] = ['per 32 updates', 'B per update', 'B per update', 'B per update', 'B per update', 'ps per update']
array low[6]; array high[6]
do for [p=1:6] {
    stats data using (valid(2*p-1) ? column(2*p-1) : NaN) nooutput name 'M'
    stats data using (valid(2*p) ? column(2*p) : NaN) nooutput name 'P'
    low[p] = (M_min < P_min ? M_min : P_min) / 1.25
    high[p] = (M_max > P_max ? M_max : P_max) * 1.25
}
blocks = M_blocks
set terminal svg size 1080,800 font face.',12' background 'white'
set output 'scatter_'.name.'.svg'
set multiplot
set label 1 'Predicted over measured: '.name at screen 0.5,0.975 center noenhanced textcolor rgb ink font ',14'
do for [p=1:6] {
    column_ = (p - 1) % 3; line_ = (p - 1) / 3
    set lmargin at screen 0.07 + 0.325 * column_
    set rmargin at screen 0.07 + 0.325 * column_ + 0.25
    set tmargin at screen 0.92 - 0.43 * line_
    set bmargin at screen 0.92 - 0.43 * line_ - 0.32
    set title titles[p] offset 0,-0.4
    set xlabel 'measured ['.units[p].']' textcolor rgb ink offset 0,0.2
    set ylabel 'predicted ['.units[p].']' textcolor rgb ink offset 0.5,0
    set xrange [low[p]:high[p]]; set yrange [low[p]:high[p]]
    set format xy '%g'
    # less than a factor of two: linear axes; less than two decades: a few numbers; else powers of ten
    if (high[p] / low[p] < 2.2) {
        step = 10 ** floor(log10((high[p] - low[p]) / 2)); step = (high[p] - low[p]) / step > 5 ? 2 * step : step
        unset logscale; set xtics step; set ytics step
    } else {
        set logscale xy
        if (high[p] / low[p] < 8) {
            set xtics (1,1.5,2,3,4,6,8,10,15,20,30,40,60,80,100,150,200,300,400,600); set ytics (1,1.5,2,3,4,6,8,10,15,20,30,40,60,80,100,150,200,300,400,600)
        } else { if (high[p] / low[p] < 100) {
            set xtics (0.5,1,2,5,10,20,50,100,200,500,1000,2000,5000); set ytics (0.5,1,2,5,10,20,50,100,200,500,1000,2000,5000)
        } else {
            set xtics autofreq; set ytics autofreq
        } }
    }
    unset key
    plot x lc rgb ink lw 1, 1.2*x lc rgb '#888888' dt 2, 0.8*x lc rgb '#888888' dt 2, \
         for [i=1:blocks] data index i-1 using 2*p-1:2*p every ::1 with points pt mark[i] ps 0.5 lc rgb colour[i]
    unset label 1
}
# the legend, below: points outside of what is shown
set lmargin at screen 0.04; set rmargin at screen 0.98; set tmargin at screen 0.085; set bmargin at screen 0.01
unset title; unset border; unset tics; unset xlabel; unset ylabel; unset grid; unset logscale
set xrange [0:1]; set yrange [0:1]
set key center center horizontal maxrows 2 samplen 1.5 width 1
plot -1 lc rgb ink lw 1 title 'predicted as measured', -1 lc rgb '#888888' dt 2 title '20 % above and below', \
     for [i=1:blocks] data index i-1 using (-1):(-1) with points pt mark[i] ps 0.8 lc rgb colour[i] title columnheader(1)
unset multiplot

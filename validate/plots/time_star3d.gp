# Times of the range-4 star: predicted over measured, and in the order of the prediction.
load 'style.gp'
data = 'time_star3d.dat'
stats data using 2 nooutput name 'M'
stats data using 3 nooutput name 'P'
low = (M_min < P_min ? M_min : P_min) / 1.1; high = (M_max > P_max ? M_max : P_max) * 1.1
set terminal svg size 1180,520 font face.',12' background 'white'
set output 'time_star3d.svg'
set multiplot
set label 1 'Times of the range-4 star, 640 x 512 x 512, f64' at screen 0.5,0.965 center textcolor rgb ink font ',14'
array folds[3] = ['no folding', 'two cells in y', 'two cells in z']
of(y, z) = y > 1 ? 2 : z > 1 ? 3 : 1
set tmargin at screen 0.87; set bmargin at screen 0.12
set lmargin at screen 0.06; set rmargin at screen 0.42
set title 'predicted over measured'
set logscale xy
set xtics (1,1.5,2,3,5,7,10,15,20); set ytics (1,1.5,2,3,5,7,10,15,20)
set xlabel 'measured [ms]' textcolor rgb ink
set ylabel 'predicted [ms]' textcolor rgb ink
set key left top samplen 1 reverse Left
set xrange [low:high]; set yrange [low:high]
plot x lc rgb ink lw 1 title 'predicted as measured', 1.2*x lc rgb '#888888' dt 2 title '20 % above and below', 0.8*x lc rgb '#888888' dt 2 notitle, \
     for [k=1:3] data using 2:(of($4, $5) == k ? $3 : NaN) with points pt mark[k] ps 0.5 lc rgb colour[k] title folds[k]
unset label 1
set lmargin at screen 0.49; set rmargin at screen 0.98
unset logscale x
set title 'in the order of the predicted times'
set xrange [0:M_records + 2]
set xtics autofreq
set xlabel 'rank by predicted time' textcolor rgb ink
set ylabel 'time [ms]' textcolor rgb ink
plot data using 1:3 with lines lw 1.5 lc rgb ink title 'predicted', \
     for [k=1:3] data using 1:(of($4, $5) == k ? $2 : NaN) with points pt mark[k] ps 0.45 lc rgb colour[k] title 'measured, '.folds[k]
unset multiplot

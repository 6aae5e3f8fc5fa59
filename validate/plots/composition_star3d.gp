# What the memory loads of the range-4 star are made of, block by block; below the same without what the L2 saves.
load 'style.gp'
data = 'composition_star3d.dat'
set terminal svg size 1180,780 font face.',12' background 'white'
set output 'composition_star3d.svg'
set multiplot
set style data histograms
set style histogram rowstacked
set style fill solid noborder
set boxwidth 0.75
set lmargin at screen 0.06; set rmargin at screen 0.98
set ylabel 'memory loads [B per lattice update]' textcolor rgb ink
set yrange [0:*]
unset grid; set grid ytics lc rgb faint lw 0.5
set tmargin at screen 0.85; set bmargin at screen 0.55
set label 1 'Range-4 star, 640 x 512 x 512, f64: memory loads by block (1024 threads, sorted by measurement)' at screen 0.52,0.975 center textcolor rgb ink font ',14'
set key at screen 0.52,0.955 center top horizontal maxrows 4 reverse Left samplen 2
set xtics format ''
plot data using 2:xtic('') title 'loaded once' lc rgb '#0072b2', \
     '' using 4 title 'loaded again: row of blocks before (y)' lc rgb '#e69f00', \
     '' using 5 title 'loaded again: layer of blocks before (z)' lc rgb '#d55e00', \
     '' using 6 title 'to complete sectors written in part' lc rgb '#cc79a7', \
     '' using 8 title 'found in the L2 (y)' lc rgb '#fbe7b2', \
     '' using 9 title 'found in the L2 (z)' lc rgb '#e8a585', \
     '' using 0:10 with points pt 7 ps 0.55 lc rgb 'black' title 'measured'
unset label 1
set tmargin at screen 0.49; set bmargin at screen 0.16
set title 'the same, without what is found in the L2' font ',12'
set xlabel 'threads per block' textcolor rgb ink
unset key
set xtics rotate by -60 font ',9' noenhanced
plot data using 2:xtic(1) lc rgb '#0072b2', '' using 4 lc rgb '#e69f00', \
     '' using 5 lc rgb '#d55e00', '' using 6 lc rgb '#cc79a7', \
     '' using 0:10 with points pt 7 ps 0.55 lc rgb 'black'
unset multiplot

# Common look. `make validate` copies the scripts to build/validate/plots, beside the data:
# gnuplot -c scatter.gp star3d there draws again.
set datafile missing 'NaN'
set encoding utf8
ink = '#333333'; faint = '#d0d0d0'
# eight colours that stay apart for colour-blind readers (Okabe and Ito), then darker ones; blue and orange come first,
# and green comes late, so that few pictures have it beside a red
array colour[16] = ['#0072b2', '#e69f00', '#cc79a7', '#56b4e9', '#d55e00', '#7f5f00', '#555555', '#003f66', \
                    '#009e73', '#a06d00', '#8a3f6b', '#2f7fa8', '#8a3d00', '#b8a800', '#005f45', '#999999']
array mark[16] = [7, 5, 9, 13, 11, 7, 5, 9, 13, 11, 7, 5, 9, 13, 11, 7]
set border 3 lc rgb ink
set tics nomirror textcolor rgb ink
set grid lc rgb faint lw 0.5
set title noenhanced textcolor rgb ink
set key noenhanced textcolor rgb ink
face = 'Helvetica,Arial,sans-serif'

# contests.awk -v model=NAME NAME.txt fit.txt: the contests of `fit --target ranking` once more,
# from the rows of `compare`. Both files are flattened JSON. Six launches of a family make a contest:
# not five, nor a second measurement of one launch (line 6), another variant, or another size.
function apart(a, b) { return a > b ? a - b : b - a }
{
  value = $0
  sub(/^[^=]* = /, "", value)
  gsub(/"/, "", value)
  key = $1
  sub(/^[^.]*\./, "", key)
  split($1, at, /[][]/)
}
FNR == NR && /^rows/ { row[at[2], key] = value; rows = at[2] + 1 }
FNR != NR && /^rankings/ { ranking[at[2], key] = value; if (key == "model" && value == model) mine = at[2] }

function in_contest(i, family) {
  if (row[i, "family"] != family || row[i, "line"] == 6) return 0
  if (family == "star") return row[i, "params"] == "nx=4000;ny=2000" && row[i, "variant"] ~ /^b64_fy[12]$/
  return row[i, "params"] == "" && row[i, "variant"] == "f64"
}

# The predicted time of the fastest measured, over the least predicted; the mean distance of
# log(predicted / measured) from its mean.
function contest(family,    i, n, p, m, least, fastest, picked, mean, sum) {
  for (i = 0; i < rows; i++) {
    if (!in_contest(i, family)) continue
    p = row[i, "predicted.time"] + 0
    m = row[i, "measured.time"] + 0
    if (!n || p < least) least = p
    if (!n || m < fastest) { fastest = m; picked = p }
    ratio_of[n++] = log(p / m)
    mean += log(p / m) / 6
  }
  for (i = 0; i < n; i++) sum += apart(ratio_of[i], mean)
  ratio[family] = picked / least
  error[family] = sum / 6
  if (n != 6) print model ": " n " launches of " family
}

END {
  contest("star")
  contest("triad")
  for (k = 0; k < 2; k++) {
    family = ranking[mine, "contests[" k "].family"]
    if (apart(ranking[mine, "contests[" k "].ratio"] / ratio[family], 1) < 1e-8) print model ": ratio of " family
    if (apart(log(ranking[mine, "contests[" k "].error"]), error[family]) < 1e-6) print model ": error of " family
  }
  if (apart(log(ranking[mine, "error"]), (error["star"] + error["triad"]) / 2) < 1e-6) print model ": error of both"
  # two families, each a third of what is likely: the ratios, rounded up, at 30 % and from 40 % on
  small = ratio["star"] < ratio["triad"] ? ratio["star"] : ratio["triad"]
  large = ratio["star"] + ratio["triad"] - small
  for (k = 0; k < 4; k++) {
    wanted = k ? large : small
    got = ranking[mine, "levels[" k "].ratio"] + 0
    if (got >= wanted - 1e-9 && got < wanted + 0.001001) levels++
  }
  print model ": " levels + 0 " levels"
}

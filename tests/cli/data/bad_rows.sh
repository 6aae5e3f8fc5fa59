# bad_rows.sh FILE - runs warpline with each line of the file as its arguments: the line, the exit code and the message.
# Nothing may be on standard output where the exit code says that it failed.
while IFS= read -r row; do
  (eval "warpline $row") >out 2>err </dev/null
  code=$?
  echo "$row"
  echo "  $code: $(head -n 1 err)"
  [ $code -lt 2 ] || [ $code = 6 ] || [ ! -s out ] || echo "  but something is on standard output"
  [ $code -lt 128 ] || echo "  ended by a signal"
done <"$1"

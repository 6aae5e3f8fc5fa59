#!/bin/sh
# transcripts.sh WARPLINE SOURCE_ROOT DOCUMENT..: what the documents say that commands print is what they print.
#
# Within a fenced block, a line that starts with "$ " is a command, with its continuation lines; what follows, up to
# the next command or the end of the block, is what it prints on standard output and standard error. A definition
# ("$ name() ..") holds for the commands after it. A block "```yaml FILE" is a file that commands can read. Commands
# run in a folder of their own with copies of examples/, where `warpline` and build/release/warpline are the program.
# UPDATE=1 writes what is printed now into the documents: read the difference.
LC_ALL=C && export LC_ALL
unset COLUMNS
set -u
warpline=$1 root=$2
shift 2
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-docs.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/run/build/release"
ln -s "$warpline" "$work/bin/warpline"
ln -s "$warpline" "$work/run/build/release/warpline"
PATH=$work/bin:$PATH && export PATH

# Prints DOCUMENT with the output that its commands have now.
render() {
  awk -v work="$work" '
    function run(command,    line) {
      print command >(work "/command")
      close(work "/command")
      if (command ~ /^[a-z_]+\(\)/)
        system("cat " work "/command >>" work "/definitions")
      else
        system("cd " work "/run && cat ../definitions ../command >../script && sh ../script >../output 2>&1 </dev/null")
      while ((getline line <(work "/output")) > 0)
        print line
      close(work "/output")
      system(": >" work "/output")
      print ++commands >(work "/commands")
    }
    /^```/ {
      inside = !inside
      printed = 0
      if (file != "")
        close(file)
      file = inside && $1 == "```yaml" && $2 != "" ? work "/run/" $2 : ""
      print
      next
    }
    inside && /^\$ / {
      command = substr($0, 3)
      print
      while (command ~ /[\\|]$/ && (getline continued) > 0) {
        print continued
        command = command "\n" continued
      }
      run(command)
      printed = 1
      next
    }
    file != "" { print >file }
    !printed { print }' "$1"
}

failed=0
for document in "$@"; do
  rm -rf "$work/run/examples" "$work/commands"
  cp -r "$root/examples" "$work/run/"
  cp "$root"/examples/*.ptx "$root"/examples/*.cu "$work/run/"
  : >"$work/definitions" && : >"$work/output"
  render "$root/$document" >"$work/document"
  [ -s "$work/commands" ] || { echo "$document: no transcript found"; failed=1; }
  if ! diff "$root/$document" "$work/document"; then
    echo "$document: commands print something else (UPDATE=1 tests/docs/transcripts.sh writes that)"
    if [ -n "${UPDATE:-}" ]; then cp "$work/document" "$root/$document"; else failed=1; fi
  fi
done
exit $failed

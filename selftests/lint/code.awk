# SPDX-License-Identifier: GPL-2.0-only
#
# Prints C files as "file:line:code": comments and the insides of strings and character constants are left
# out, so that a search sees only code. Lines keep their indentation and their number.

FNR == 1 { comment = 0 }
{
	rest = $0
	out = ""
	while (rest != "") {
		if (comment) {
			end = index(rest, "*/")
			if (!end) {
				rest = ""
				break
			}
			rest = substr(rest, end + 2)
			comment = 0
		} else if (match(rest, /\/\/|\/\*|"|'/)) {
			mark = substr(rest, RSTART, RLENGTH)
			out = out substr(rest, 1, RSTART - 1)
			rest = substr(rest, RSTART + RLENGTH)
			if (mark == "//")
				rest = ""
			else if (mark == "/*")
				comment = 1
			else {
				out = out mark mark
				if (mark == "\"")
					found = match(rest, /^([^"\\]|\\.)*"/)
				else
					found = match(rest, /^([^'\\]|\\.)*'/)
				rest = found ? substr(rest, RLENGTH + 1) : ""
			}
		} else {
			out = out rest
			rest = ""
		}
	}
	sub(/[ \t]+$/, "", out)
	print FILENAME ":" FNR ":" out
}

# SPDX-License-Identifier: Apache-2.0
# nm -n of the image -> assembler source of the symbol table (backtrace.c).
BEGIN {
	print "\t.section .data.symbols, \"aw\""
	print "\t.globl symbol_table, symbol_count"
	print "\t.hidden symbol_table, symbol_count"
	print "\t.balign 8"
	print "symbol_table:"
}
($2 == "t" || $2 == "T") && $3 !~ /^\./ {
	n++
	printf "\t.quad 0x%s, 90%df\n", $1, n
	name[n] = $3
}
END {
	print "\t.quad 0, 0"
	print "symbol_count:"
	printf "\t.quad %d\n", n
	for (i = 1; i <= n; i++)
		printf "90%d:\t.asciz \"%s\"\n", i, name[i]
	print "\t.section .note.GNU-stack, \"\", @progbits"
}

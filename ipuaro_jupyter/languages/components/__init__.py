"""Components in one file (Vue, Svelte, Astro): their code as one text of the same length.

In: the bytes of a file. Out: its script blocks, and the same with the code in its template, in
which everything else is blank, so that offsets and lines are those of the file.
"""

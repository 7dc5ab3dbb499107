"""The algorithms in plain, short Python: for reading, and as the oracle of the core.

Nothing here cares for speed. `tree_search` holds the loop, UCT and AMAF; `ppr` and `fossel` the policies of
the two Havannah papers, `outlook` what they left for later, `havannah` what policies know about the board;
`champion` what makes a Havannah player strong; `rings` which rings count in playouts; `nmcs` nested search;
`jack` search with hidden information; `modern` what came after the papers. A search can run by itself
(`search`) or replay what the core logged (`replay`): at each node the logged move must be one that the
plain formula allows; in the end all statistics must agree.
"""

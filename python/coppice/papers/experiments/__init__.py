"""The experiments of this package: one file per published table or figure; `coppice run NAME` finds them."""

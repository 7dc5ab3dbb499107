"""Records of games as people and programs keep them: SGF, HGF, text."""

from coppice.records.files import check_record, read_records, write_records

__all__ = ["check_record", "read_records", "write_records"]

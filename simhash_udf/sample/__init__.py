"""A sample corpus: readable Chinese articles made from original sentences, with duplicates of every kind planted in it.

All people, firms and events in it are invented.
"""

from simhash_udf.sample.corpus import KINDS, Document, generate_documents
from simhash_udf.sample.parallel import generate_tables
from simhash_udf.sample.parquet import write_corpus, write_tables

__all__ = ["KINDS", "Document", "generate_documents", "generate_tables", "write_corpus", "write_tables"]

"""The formats' documents, element by element: what the editor reads, shows, edits, checks and
writes of each.

Each document has one text that holds every element and attribute of it, and rows in the document's
order. A row changes one value of that text: what is read differs, and the patch of the one to the
other changes that value alone. So reading, editing and writing are held together. What a document
says of more than one value is a statement. Each document has a test file of its own; `python -P -m
tests.helpers.seed_documents` writes the table of the manual.
"""

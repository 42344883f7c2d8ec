"""From files to files: which format a file is, one robot out of several of them, and that robot in another format."""

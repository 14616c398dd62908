# filled in with the embedding library

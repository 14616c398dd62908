# For doxygen: the comments of kiln.h in its form.
1s|^/\* |/** @file\n * |
/^\/\* (----|C has no other way|NOLINT)/b
s|^( *)/\* |\1/** |
s|^( *[^ /*].*[;,{] *)/\* |\1/**< |

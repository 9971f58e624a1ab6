# Writes OUT: one hash of FILES (relative to ROOT), names and contents, as ms_sources_digest (gen/embedded.h).
list(SORT FILES)
set(hashes "")
foreach(file IN LISTS FILES)
  file(SHA256 "${ROOT}/${file}" hash)
  string(APPEND hashes "${file} ${hash}\n")
endforeach()
string(SHA256 digest "${hashes}")
file(WRITE "${OUT}" "#include \"embedded.h\"\n\nconst char ms_sources_digest[] = \"${digest}\";\n")

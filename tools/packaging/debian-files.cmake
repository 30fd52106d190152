# What Debian wants of a package beside the files that are installed. Called by cpack before it packs.
file(GLOB components LIST_DIRECTORIES true ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*)
foreach(component ${components})
  if(component MATCHES "/development$")
    set(doc ${component}/usr/share/doc/holon-dev)
  elseif(component MATCHES "/runtime$")
    set(doc ${component}/usr/share/doc/holon)
  else()
    continue()
  endif()
  file(MAKE_DIRECTORY ${doc})
  file(READ ${CPACK_HOLON_SOURCE_DIR}/LICENSE license)
  file(WRITE ${doc}/copyright "Holon, molecular dynamics with domain decomposition.\n\n${license}")
  string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, if it is set
  file(WRITE ${doc}/changelog.Debian
       "holon (${CPACK_PACKAGE_VERSION}-1) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${today}\n")
  file(REMOVE ${doc}/LICENSE)
  file(GLOB pages ${component}/usr/share/man/man1/*.1)
  execute_process(COMMAND gzip -9nf ${doc}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
  if(component MATCHES "/runtime$") # so that Debian's python3 finds it
    file(MAKE_DIRECTORY ${component}/usr/lib/python3/dist-packages)
    file(CREATE_LINK ../../../share/holon/python/holon ${component}/usr/lib/python3/dist-packages/holon SYMBOLIC)
  endif()
endforeach()

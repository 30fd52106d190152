# Installs the build into a fresh prefix; configures, builds and runs a program that finds it with find_package(holon).
#   cmake -D BUILD=<build folder> -D GENERATOR=... -D BUILD_TYPE=... -D CXX=... -D FLAGS=... -P run.cmake
set(work ${BUILD}/package-test)
set(consumer ${CMAKE_CURRENT_LIST_DIR})
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message("${command}\n${output}")
    message(FATAL_ERROR "exit status ${status}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${consumer} -B ${work}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
file(GLOB programs ${BUILD}/bin/holon-*)
foreach(program ${programs})
  get_filename_component(name ${program} NAME)
  run(${work}/prefix/bin/${name} --version)
endforeach()

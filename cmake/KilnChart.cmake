# The plotting library of report pages: Chart.js (MIT licence; Debian package libjs-chart.js), embedded as it is. Without it pages have
# tables alone, and say so.
find_file(KILN_CHART_JS NAMES chart.min.js chart.umd.js
          PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist NO_DEFAULT_PATH
          DOC "Chart.js as one file, for the plots of report pages")

# kiln_chart_text(VARIABLE): the path of a file chart.js to embed, empty where there is no library.
function(kiln_chart_text variable)
  set(copy ${CMAKE_CURRENT_BINARY_DIR}/embedded/chart.js)
  if(KILN_CHART_JS)
    configure_file(${KILN_CHART_JS} ${copy} COPYONLY)
  else()
    message(STATUS "Chart.js was not found (package libjs-chart.js): report pages will have tables alone")
    file(CONFIGURE OUTPUT ${copy} CONTENT "")
  endif()
  set(${variable} ${copy} PARENT_SCOPE)
endfunction()

# tern_embed_presets(<namespace> <function>): presets/*.yaml of this folder as presets.cpp in the binary folder. It defines the function
# that this folder's presets.h declares: std::vector<config::EmbeddedPreset>, in the order of their names.
function(tern_embed_presets TERN_PRESET_NAMESPACE TERN_PRESET_FUNCTION)
  file(RELATIVE_PATH TERN_PRESET_FOLDER ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  file(GLOB presets CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/presets/*.yaml)
  set(TERN_PRESETS "")
  foreach(preset ${presets})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${preset})
    get_filename_component(name ${preset} NAME_WE)
    file(READ ${preset} text)
    string(APPEND TERN_PRESETS
           "      {\"${name}\", \"${TERN_PRESET_FOLDER}/presets/${name}.yaml\", R\"yaml(${text})yaml\"},\n")
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/presets.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/presets.cpp @ONLY)
endfunction()

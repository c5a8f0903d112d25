#pragma once

#include "base/result.h"

#include <boost/json/value.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace muster::cli {

// How unquoted YAML scalars are read: always as text, or as the number, boolean or null that they
// look like.
enum class scalar_mode { texts, typed };

// Reads a document in JSON or YAML. errc::invalid: it is neither, or is too large or too deep.
result<boost::json::value> read_document(std::string_view text, scalar_mode mode);

// The content of a file. errc::invalid names the file.
result<std::string> read_text_file(const std::filesystem::path& file);

}  // namespace muster::cli

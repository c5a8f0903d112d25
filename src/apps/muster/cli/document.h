#pragma once

#include "base/result.h"

#include <boost/json/value.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace muster::cli {

// What a YAML scalar without quotes is: a text as it stands, or the number, truth value or nothing
// that it looks like.
enum class scalars { texts, typed };

// A document that somebody wrote as JSON or as YAML. errc::invalid: it is neither, or is too large
// or nested too deeply.
result<boost::json::value> read_document(std::string_view text, scalars scalars);

// The content of a file. errc::invalid with its name.
result<std::string> read_text_file(const std::filesystem::path& file);

}  // namespace muster::cli

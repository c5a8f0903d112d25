#pragma once

#include "base/result.h"
#include "base/time.h"

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Members of the small JSON documents that the content's rows hold. What is not there, or of
// another kind, is empty: documents grow with new versions of the program.
namespace muster::content {

result<boost::json::object> parse_object(std::string_view text);

std::string text_in(const boost::json::object& from, std::string_view name);
std::int64_t integer_in(const boost::json::object& from, std::string_view name);
bool flag_in(const boost::json::object& from, std::string_view name);
std::vector<std::string> texts_in(const boost::json::object& from, std::string_view name);
std::optional<wall_time> time_in(const boost::json::object& from, std::string_view name);

void put_time(boost::json::object& to, std::string_view name, const std::optional<wall_time>& when);
void put_texts(boost::json::object& to, std::string_view name, const std::vector<std::string>& all);

}  // namespace muster::content

#include "apps/agent/facts/fact_builder.h"

#include "core/table/utf8.h"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::agent {
namespace {

constexpr std::size_t problems_max = 20;

}  // namespace

void fact_builder::add_problem(std::string message) {
    if (collected_.problems.size() < problems_max)
        collected_.problems.push_back(std::move(message));
}

void fact_builder::add(const std::string& path, std::string_view text) {
    if (!table::is_utf8_without_nul(text)) {
        add_problem(fmt::format("fact \"{}\" is not valid UTF-8", path));
        return;
    }
    insert(path, boost::json::serialize(boost::json::string(text.data(), text.size())));
}

void fact_builder::add(const std::string& path, std::int64_t number) {
    insert(path, std::to_string(number));
}

void fact_builder::add(const std::string& path, const boost::json::value& value) {
    const auto* object = value.if_object();
    if (object == nullptr || object->empty()) {
        insert(path, boost::json::serialize(value));
        return;
    }
    for (const auto& member : *object) {
        const std::string name(member.key());
        add(path.empty() ? name : path + "." + name, member.value());
    }
}

void fact_builder::insert(const std::string& path, std::string json) {
    using limits = fact_limits;
    const auto size = path.size() + json.size();
    if (path.empty() || path.size() > limits::path_bytes_max || !table::is_utf8_without_nul(path)
        || !table::is_utf8_without_nul(json)) {
        add_problem(fmt::format("invalid fact name of {} bytes", path.size()));
    } else if (json.size() > limits::value_bytes_max) {
        add_problem(fmt::format(
            "fact \"{}\" exceeds the limit of {} bytes", path, limits::value_bytes_max));
    } else if (
        collected_.values.size() == limits::facts_max || bytes_ + size > limits::all_bytes_max) {
        add_problem(fmt::format("too many facts; \"{}\" dropped", path));
    } else if (collected_.values.emplace(path, std::move(json)).second) {
        bytes_ += size;
    } else {
        add_problem(fmt::format("fact \"{}\" already exists", path));
    }
}

}  // namespace muster::agent

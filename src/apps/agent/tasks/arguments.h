#pragma once

#include "base/result.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

// The arguments of a function: a JSON object whose members are read by name and type. Errors name
// the member; finish() refuses members that were not read. Not thread-safe.
class arguments {
public:
    // An empty text is an empty object.
    static result<arguments> parse(std::string_view text);

    // nullopt if the member is missing.
    std::optional<std::string> text(std::string_view name);
    std::optional<std::int64_t> integer(std::string_view name);
    std::optional<bool> flag(std::string_view name);
    std::optional<std::vector<std::string>> texts(std::string_view name);
    std::optional<std::vector<std::int64_t>> integers(std::string_view name);
    std::map<std::string, std::string> text_by_name(std::string_view name);
    bool has(std::string_view name) const { return members_.contains(name); }
    bool is_list(std::string_view name) const;

    void refuse(std::string problem);
    // Returns the first problem.
    result<void> finish() const;

private:
    explicit arguments(boost::json::object members) : members_(std::move(members)) {}
    const boost::json::value* find(std::string_view name);

    boost::json::object members_;
    std::set<std::string, std::less<>> read_;
    std::string problem_;
};

}  // namespace muster::agent

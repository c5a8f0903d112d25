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

// A function's arguments: a JSON object of which every member is taken by its name and kind. What
// is wrong is said with the member's name; what nobody took is refused by finish().
class arguments {
public:
    // No text at all is an object without members.
    static result<arguments> parse(std::string_view text);

    // Nothing when it is not there.
    std::optional<std::string> text(std::string_view name);
    std::optional<std::int64_t> integer(std::string_view name);
    std::optional<bool> flag(std::string_view name);
    std::optional<std::vector<std::string>> texts(std::string_view name);
    std::optional<std::vector<std::int64_t>> integers(std::string_view name);
    std::map<std::string, std::string> text_by_name(std::string_view name);
    bool has(std::string_view name) const { return members_.contains(name); }
    bool is_list(std::string_view name) const;

    void refuse(std::string why);
    // The first thing that was wrong.
    result<void> finish() const;

private:
    explicit arguments(boost::json::object members) : members_(std::move(members)) {}
    const boost::json::value* take(std::string_view name);

    boost::json::object members_;
    std::set<std::string, std::less<>> taken_;
    std::string wrong_;
};

}  // namespace muster::agent

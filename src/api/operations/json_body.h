#pragma once

#include "adapters/net/http/request.h"
#include "core/api/value.h"
#include "ports/async.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::api {

// Reads the members of a request's body by name. Errors say which member is wrong and what is
// wanted; a member nobody asked for is an error, too, because a misspelt one would be lost.
class json_body {
public:
    // An empty body counts as an object without members.
    static result<json_body> parse(std::string_view text);

    result<std::string> text(std::string_view name);  // must be there
    result<std::optional<std::string>> optional_text(std::string_view name);
    result<std::optional<std::int64_t>> optional_integer(std::string_view name);
    // Of texts; nothing when it is not there.
    result<std::optional<std::vector<std::string>>> optional_list(std::string_view name);
    // Whatever stands there; null when nothing does. Good as long as the body.
    const api::value* optional_value(std::string_view name);
    result<bool> flag(std::string_view name);  // false when it is not there

    // After all members were asked for.
    result<void> finish() const;

    explicit json_body(api::value::record all) : all_(std::move(all)) {}

private:
    const api::value* member(std::string_view name);

    api::value::record all_;
    std::set<std::string, std::less<>> asked_;
};

}  // namespace muster::api

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

// Reads the members of a request body by name. Errors name the member and the expected type.
// finish() rejects members that were not read, so that misspelt names do not go unnoticed.
class json_body {
public:
    // An empty body counts as an object without members.
    static result<json_body> parse(std::string_view text);

    result<std::string> text(std::string_view name);  // required
    result<std::optional<std::string>> optional_text(std::string_view name);
    result<std::optional<std::int64_t>> optional_integer(std::string_view name);
    // A list of texts; nullopt if absent.
    result<std::optional<std::vector<std::string>>> optional_list(std::string_view name);
    // Any value; null if absent. Valid as long as the body.
    const api::value* optional_value(std::string_view name);
    result<bool> flag(std::string_view name);  // false if absent

    // Call after all members were read.
    result<void> finish() const;

    explicit json_body(api::value::record members) : members_(std::move(members)) {}

private:
    const api::value* member(std::string_view name);

    api::value::record members_;
    std::set<std::string, std::less<>> read_names_;
};

}  // namespace muster::api

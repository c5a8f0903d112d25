#pragma once

#include "base/result.h"
#include "core/api/value.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace muster::api {

struct shape_member;

// Schema of a value, for argument checks and the OpenAPI document. Built by the functions below;
// `with_…` narrow it.
class shape {
public:
    enum class kind { anything, flag, integer, number, text, time, bytes, list, map, record };

    shape() = default;  // anything
    explicit shape(kind kind);

    kind what() const { return what_; }
    std::int64_t least() const { return least_; }
    std::int64_t most() const { return most_; }
    const std::string& about() const { return about_; }
    const std::vector<std::string>& choices() const { return choices_; }
    const std::vector<shape_member>& members() const { return members_; }
    const shape& element() const { return inner_.front(); }
    bool may_be_nothing() const { return nullable_; }

    // An integer's bounds; a text's and bytes' size; a list's and map's number of items.
    shape with_bounds(std::int64_t least, std::int64_t most) &&;
    shape with_about(std::string text) &&;
    shape with_choices(std::vector<std::string> choices) &&;
    shape or_nothing() &&;

private:
    friend shape list_of(shape element, std::int64_t most);
    friend shape map_of(shape element, std::int64_t most);
    friend shape record_of(std::vector<shape_member> members);

    kind what_ = kind::anything;
    std::int64_t least_ = 0;
    std::int64_t most_ = 0;
    bool nullable_ = false;
    std::string about_;
    std::vector<std::string> choices_;
    std::vector<shape_member> members_;
    std::vector<shape> inner_;  // of a list or map: one
};

struct shape_member {
    std::string name;
    shape of;
    bool required = true;
};

inline constexpr std::int64_t text_bytes_max = 4096;
inline constexpr std::int64_t list_items_max = 100'000;

shape anything();
shape flag();
shape integer(std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max());
shape number();
shape text(std::int64_t bytes_max = text_bytes_max);
shape name();  // of something people name: 1 to 255 characters
shape time();  // ISO 8601 in UTC
shape bytes(std::int64_t bytes_max);
shape list_of(shape element, std::int64_t most = list_items_max);
shape map_of(shape element, std::int64_t most = list_items_max);  // names are free
shape record_of(std::vector<shape_member> members);

shape page_of(shape element);  // of a listing: the items, and where the next page begins

shape_member required(std::string name, shape schema);
shape_member optional(std::string name, shape schema);

// errc::invalid names the path of the faulty value: "`rollout.batch`: a text is wanted, not a
// list".
result<void> check(const value& input, const shape& shape, std::string_view path);

// Parses a value of a path or query: "20", "true", "a,b".
result<value> read(std::string_view text, const shape& shape, std::string_view path);

// The JSON Schema of a shape, as OpenAPI 3.1 wants it.
value schema_of(const shape& shape);

}  // namespace muster::api

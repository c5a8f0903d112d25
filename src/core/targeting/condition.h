#pragma once

#include "core/model/network.h"
#include "core/targeting/fact_pattern.h"
#include "core/targeting/field.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::targeting {

// One of the field's texts looks like this.
struct field_condition {
    field which = field::name;
    text_pattern test;
};

// One of its facts passes one of these tests: several, where a fact goes by several names.
struct fact_condition {
    std::vector<fact_pattern> any_of;
};

// Its name is one of these.
struct list_condition {
    std::vector<std::string> names;  // in order, each once
};

// One of its addresses lies within.
struct network_condition {
    network within;
    bool ipv6 = false;  // how it was written: then no address of IPv4 is in it, not even in ::/0
};

// Nobody meets it: there is no such data, or no such group.
struct impossible {};

using condition =
    std::variant<field_condition, fact_condition, list_condition, network_condition, impossible>;

// Whether nothing can be said about a system without its facts.
bool needs_facts(const condition& condition);
// A regular expression in it took too long.
bool gave_up(const condition& condition);

// Where a system says its addresses: the paths of facts that S@ looks at.
bool holds_addresses(std::string_view path);
// An address as facts have it, perhaps with the size of its network behind a slash.
bool lies_within(const network_condition& network_condition, std::string_view text);

// What a query is asked about.
class subject {
public:
    subject() = default;
    subject(const subject&) = delete;
    subject& operator=(const subject&) = delete;
    virtual ~subject() = default;

    virtual std::string_view name() const = 0;
    // Whether one of the field's texts passes.
    virtual bool has(field field, const text_pattern& test) const = 0;
    virtual std::span<const fact> facts() const = 0;  // in order
};

bool meets(const subject& subject, const condition& condition);

}  // namespace muster::targeting

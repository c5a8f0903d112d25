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

// One of the texts of the field matches.
struct field_condition {
    targeting::field field = targeting::field::name;
    text_pattern test;
};

// A fact of the system passes one of these tests; several if the fact has several names.
struct fact_condition {
    std::vector<fact_pattern> any_of;
};

// The name of the system is one of these.
struct list_condition {
    std::vector<std::string> names;  // in order, each once
};

// An address of the system is in the network.
struct network_condition {
    muster::network network;
    bool ipv6 = false;  // written as IPv6: then it contains no IPv4 address, not even ::/0
};

// No system matches: the data or the group does not exist.
struct never_matches {};

using condition =
    std::variant<field_condition, fact_condition, list_condition, network_condition, never_matches>;

// Whether the condition can be evaluated only with facts.
bool needs_facts(const condition& condition);
// Whether a regular expression in it took too long.
bool gave_up(const condition& condition);

// Whether facts at this path are addresses, which S@ examines.
bool holds_addresses(std::string_view path);
// Whether an address from facts, with or without a network size, is in the network.
bool lies_within(const network_condition& network_condition, std::string_view text);

// A system that a query is evaluated for.
class subject {
public:
    subject() = default;
    subject(const subject&) = delete;
    subject& operator=(const subject&) = delete;
    virtual ~subject() = default;

    virtual std::string_view name() const = 0;
    // Whether one of the texts of the field passes.
    virtual bool has(field field, const text_pattern& test) const = 0;
    virtual std::span<const fact> facts() const = 0;  // in order
};

bool meets(const subject& subject, const condition& condition);

}  // namespace muster::targeting

#include "core/targeting/condition.h"

#include <algorithm>
#include <array>

namespace muster::targeting {
namespace {

// Muster's own paths and those of Salt's grains.
constexpr std::array<std::string_view, 5> address_paths{
    "addresses", "ipv4", "ipv6", "fqdn_ip4", "fqdn_ip6"};

template <class... Ts>
struct overloaded : Ts... {
    using Ts::operator()...;
};

}  // namespace

bool needs_facts(const condition& condition) {
    return std::holds_alternative<fact_condition>(condition)
           || std::holds_alternative<network_condition>(condition);
}

bool gave_up(const condition& condition) {
    if (const auto* const text = std::get_if<field_condition>(&condition))
        return text->test.gave_up();
    const auto* const facts = std::get_if<fact_condition>(&condition);
    return facts != nullptr && std::ranges::any_of(facts->any_of, &fact_pattern::gave_up);
}

bool holds_addresses(std::string_view path) {
    return std::ranges::find(address_paths, path) != address_paths.end();
}

bool lies_within(const network_condition& network_condition, std::string_view text) {
    if (network_condition.ipv6 && !text.contains(':')) return false;
    const auto address = parse_address(text.substr(0, text.find('/')));
    return address && network_condition.network.contains(*address);
}

bool meets(const subject& subject, const condition& condition) {
    return std::visit(
        overloaded{
            [&](const field_condition& text) { return subject.has(text.field, text.test); },
            [&](const fact_condition& tests) {
                return std::ranges::any_of(subject.facts(), [&tests](const fact& fact) {
                    return std::ranges::any_of(tests.any_of, [&fact](const fact_pattern& test) {
                        return test.matches(fact);
                    });
                });
            },
            [&](const list_condition& list) {
                return std::ranges::binary_search(list.names, subject.name());
            },
            [&](const network_condition& network) {
                return std::ranges::any_of(subject.facts(), [&network](const fact& fact) {
                    return holds_addresses(fact.path) && lies_within(network, fact.text);
                });
            },
            [](const never_matches&) {
                return false;
            }},
        condition);
}

}  // namespace muster::targeting

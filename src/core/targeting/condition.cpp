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

bool needs_facts(const condition& asked) {
    return std::holds_alternative<fact_condition>(asked)
           || std::holds_alternative<network_condition>(asked);
}

bool gave_up(const condition& asked) {
    if (const auto* const text = std::get_if<field_condition>(&asked)) return text->test.gave_up();
    const auto* const facts = std::get_if<fact_condition>(&asked);
    return facts != nullptr && std::ranges::any_of(facts->any_of, &fact_pattern::gave_up);
}

bool holds_addresses(std::string_view path) {
    return std::ranges::find(address_paths, path) != address_paths.end();
}

bool lies_within(const network_condition& asked, std::string_view text) {
    if (asked.ipv6 && !text.contains(':')) return false;
    const auto address = parse_address(text.substr(0, text.find('/')));
    return address && asked.within.contains(*address);
}

bool meets(const subject& asked, const condition& wanted) {
    return std::visit(
        overloaded{
            [&](const field_condition& text) { return asked.has(text.which, text.test); },
            [&](const fact_condition& tests) {
                return std::ranges::any_of(asked.facts(), [&tests](const fact& each) {
                    return std::ranges::any_of(tests.any_of, [&each](const fact_pattern& test) {
                        return test.matches(each);
                    });
                });
            },
            [&](const list_condition& list) {
                return std::ranges::binary_search(list.names, asked.name());
            },
            [&](const network_condition& place) {
                return std::ranges::any_of(asked.facts(), [&place](const fact& each) {
                    return holds_addresses(each.path) && lies_within(place, each.text);
                });
            },
            [](const impossible&) {
                return false;
            }},
        wanted);
}

}  // namespace muster::targeting

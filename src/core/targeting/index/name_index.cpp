#include "core/targeting/index/name_index.h"

#include <algorithm>
#include <string>

namespace muster::targeting {
namespace {

constexpr std::size_t start_letters = 3;
// Few enough to look at each: more letters would not pay.
constexpr std::size_t few = 32;

// Every gram of a name once, in order.
std::vector<gram> grams_of(std::string_view name) {
    const auto text = framed(name);
    std::vector<gram> grams;
    grams.reserve(2 * text.size());
    for (std::size_t at = 0; at + 1 < text.size(); ++at) grams.push_back(pair_of(text, at));
    for (std::size_t at = 0; at + 2 < text.size(); ++at) grams.push_back(triple_of(text, at));
    std::ranges::sort(grams);
    const auto doubled = std::ranges::unique(grams);
    grams.erase(doubled.begin(), doubled.end());
    return grams;
}

}  // namespace

// Triples with the same first two letters, and the pair of these.
struct name_index::gram_page {
    system_set pair;
    std::array<std::unique_ptr<system_set>, letters> triples;
};

name_index::name_index() : pages_(letters * letters) {}
name_index::~name_index() = default;

system_set* name_index::of(gram gram) {
    auto& page = pages_[(gram >> 8U) & 0xffffU];
    if (!page) page = std::make_unique<gram_page>();
    if ((gram & pair_mark) != 0) return &page->pair;
    auto& match = page->triples[gram & 0xffU];
    if (!match) match = std::make_unique<system_set>();
    return match.get();
}

const system_set* name_index::find(gram gram) const {
    const auto& page = pages_[(gram >> 8U) & 0xffffU];
    if (!page) return nullptr;
    return (gram & pair_mark) != 0 ? &page->pair : page->triples[gram & 0xffU].get();
}

std::string_view name_index::name_of(system_number system_number) const {
    const auto* const found = names_.find(system_number);
    return found == nullptr ? std::string_view() : found->view();
}

void name_index::change(system_number system_number, std::string_view name, bool there) {
    for (const auto gram : grams_of(name)) {
        if (there)
            of(gram)->add(system_number);
        else
            of(gram)->remove(system_number);
    }
    const auto change_word = [&](word_index& in, std::string_view word) {
        if (there)
            in.add(word, system_number);
        else
            in.remove(word, system_number);
    };
    if (name.size() >= start_letters) change_word(starts_, name.substr(0, start_letters));
    if (const auto dot = name.find('.'); dot != std::string_view::npos)
        change_word(domains_, name.substr(dot));
}

void name_index::set(system_number system_number, std::string_view name) {
    name = name.substr(0, name_bytes_max);
    auto& held = names_.at(system_number);
    if (held.view() == name) return;
    if (!held.empty()) change(system_number, held.view(), false);
    held = packed_text(name);
    if (!name.empty()) change(system_number, name, true);
}

void name_index::add_piece(std::string_view piece, demand& to) {
    if (piece.size() == 2) to.grams.push_back(pair_of(piece, 0));
    for (std::size_t at = 0; at + 2 < piece.size(); ++at) to.grams.push_back(triple_of(piece, at));
}

name_index::demand name_index::demand_of(const text_pattern& test) {
    demand demand;
    const auto pieces = required_substrings(test);
    for (const auto& piece : pieces) add_piece(framed(piece), demand);
    // `*db*`, `w*`: nothing but one gram is asked for.
    demand.exact = test.as_glob_parts() && pieces.size() == 1 && demand.grams.size() == 1
                   && is_kept(pieces.front().letters);
    return demand;
}

system_set name_index::candidates(const demand& demand, const system_set& within) const {
    std::vector<const system_set*> sets;
    for (const auto gram : demand.grams) {
        const auto* const found = find(gram);
        if (found == nullptr) return {};
        sets.push_back(found);
    }
    std::ranges::sort(sets, {}, &system_set::size);
    system_set left = within;
    for (const auto* const each : sets) {
        left &= *each;
        if (left.size() <= few && !demand.exact) break;
    }
    return left;
}

// A domain starts at the name's first dot, so a name ends with ".acme.org" when its domain does;
// and a start without a dot lies before it.
std::optional<system_set> name_index::host_and_domain(
    const text_pattern& test, const system_set& within) const {
    const auto& glob = test.as_glob_parts();
    if (!glob || !glob->between.empty() || glob->start.contains('.')) return std::nullopt;
    const bool start_known = glob->start.empty() || glob->start.size() == start_letters;
    const bool end_known = glob->end.empty() || glob->end.starts_with('.');
    if (!start_known || !end_known) return std::nullopt;
    auto left = within;
    if (!glob->start.empty()) left = starts_.matching(text_pattern::literal(glob->start), left);
    return glob->end.empty() ? left : domains_.ending(glob->end, left);
}

system_set name_index::matching(const text_pattern& test, const system_set& within) const {
    if (test.is_any()) return within;
    if (auto match = host_and_domain(test, within)) return *std::move(match);
    const auto demand = demand_of(test);
    auto left = candidates(demand, within);
    if (demand.exact) return left;
    std::vector<std::uint32_t> matches;
    left.for_each([&](system_number system_number) {
        if (test.matches(name_of(system_number)))
            matches.push_back(static_cast<std::uint32_t>(system_number.value()));
    });
    return system_set::of(matches);
}

system_set name_index::named(std::string_view name, const system_set& within) const {
    demand demand;
    add_piece(framed(name), demand);
    system_set match;
    candidates(demand, within).for_each([&](system_number system_number) {
        if (name_of(system_number) == name) match.add(system_number);
    });
    return match;
}

}  // namespace muster::targeting

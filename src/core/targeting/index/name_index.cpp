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

system_set* name_index::of(gram which) {
    auto& page = pages_[(which >> 8U) & 0xffffU];
    if (!page) page = std::make_unique<gram_page>();
    if ((which & pair_mark) != 0) return &page->pair;
    auto& found = page->triples[which & 0xffU];
    if (!found) found = std::make_unique<system_set>();
    return found.get();
}

const system_set* name_index::find(gram which) const {
    const auto& page = pages_[(which >> 8U) & 0xffffU];
    if (!page) return nullptr;
    return (which & pair_mark) != 0 ? &page->pair : page->triples[which & 0xffU].get();
}

std::string_view name_index::name_of(system_number who) const {
    const auto* const found = names_.find(who);
    return found == nullptr ? std::string_view() : found->view();
}

void name_index::change(system_number who, std::string_view name, bool there) {
    for (const auto each : grams_of(name)) {
        if (there)
            of(each)->add(who);
        else
            of(each)->remove(who);
    }
    const auto change_word = [&](word_index& in, std::string_view word) {
        if (there)
            in.add(word, who);
        else
            in.remove(word, who);
    };
    if (name.size() >= start_letters) change_word(starts_, name.substr(0, start_letters));
    if (const auto dot = name.find('.'); dot != std::string_view::npos)
        change_word(domains_, name.substr(dot));
}

void name_index::set(system_number who, std::string_view name) {
    name = name.substr(0, name_bytes_max);
    auto& held = names_.at(who);
    if (held.view() == name) return;
    if (!held.empty()) change(who, held.view(), false);
    held = packed_text(name);
    if (!name.empty()) change(who, name, true);
}

void name_index::add_piece(std::string_view piece, demand& to) {
    if (piece.size() == 2) to.grams.push_back(pair_of(piece, 0));
    for (std::size_t at = 0; at + 2 < piece.size(); ++at) to.grams.push_back(triple_of(piece, at));
}

name_index::demand name_index::demand_of(const text_pattern& test) {
    demand wanted;
    const auto pieces = certain_pieces(test);
    for (const auto& each : pieces) add_piece(framed(each), wanted);
    // `*db*`, `w*`: nothing but one gram is asked for.
    wanted.exact = test.as_stars() && pieces.size() == 1 && wanted.grams.size() == 1
                   && is_kept(pieces.front().letters);
    return wanted;
}

system_set name_index::candidates(const demand& wanted, const system_set& within) const {
    std::vector<const system_set*> sets;
    for (const auto each : wanted.grams) {
        const auto* const found = find(each);
        if (found == nullptr) return {};
        sets.push_back(found);
    }
    std::ranges::sort(sets, {}, &system_set::size);
    system_set left = within;
    for (const auto* const each : sets) {
        left &= *each;
        if (left.size() <= few && !wanted.exact) break;
    }
    return left;
}

// A domain starts at the name's first dot, so a name ends with ".acme.org" when its domain does;
// and a start without a dot lies before it.
std::optional<system_set> name_index::host_and_domain(
    const text_pattern& test, const system_set& within) const {
    const auto& glob = test.as_stars();
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
    if (auto found = host_and_domain(test, within)) return *std::move(found);
    const auto wanted = demand_of(test);
    auto left = candidates(wanted, within);
    if (wanted.exact) return left;
    std::vector<std::uint32_t> found;
    left.for_each([&](system_number who) {
        if (test.matches(name_of(who))) found.push_back(static_cast<std::uint32_t>(who.value()));
    });
    return system_set::of(found);
}

system_set name_index::named(std::string_view name, const system_set& within) const {
    demand wanted;
    add_piece(framed(name), wanted);
    system_set found;
    candidates(wanted, within).for_each([&](system_number who) {
        if (name_of(who) == name) found.add(who);
    });
    return found;
}

}  // namespace muster::targeting

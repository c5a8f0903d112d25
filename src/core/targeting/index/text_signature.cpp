#include "core/targeting/index/text_signature.h"

#include "core/targeting/fold.h"
#include "core/targeting/index/grams.h"

#include <cstddef>
#include <xxhash.h>

namespace muster::targeting {
namespace {

// The lower bits are for triples of letters, one each by its hash: a name sets about a third of
// them. The upper ones are a hash of how the text begins, if it has so many letters.
constexpr std::uint64_t triple_bits = 52;
constexpr text_signature beginning_mask = ~((text_signature{1} << triple_bits) - 1);
constexpr std::size_t beginning_letters = 6;

text_signature bit_of(gram triple) {
    const std::uint32_t mixed = triple * 0x9e3779b1U;
    return text_signature{1} << ((mixed * triple_bits) >> 32U);
}

text_signature bits_of(std::string_view framed_text) {
    text_signature bits = 0;
    for (std::size_t at = 0; at + 2 < framed_text.size(); ++at)
        bits |= bit_of(triple_of(framed_text, at));
    return bits;
}

text_signature beginning_of(std::string_view text) {
    return XXH3_64bits(text.data(), beginning_letters) & beginning_mask;
}

}  // namespace

text_signature signature_of(std::string_view text) {
    const auto bits = bits_of(framed(text));
    return text.size() < beginning_letters ? bits : bits | beginning_of(text);
}

text_filter filter_of(const text_pattern& test) {
    text_filter result;
    for (auto& piece : required_substrings(test)) {
        piece.letters = folded(piece.letters);
        const auto bits = bits_of(framed(piece));
        result.mask |= bits;
        result.wanted |= bits;
        if (!piece.at_start || piece.letters.size() < beginning_letters) continue;
        result.mask |= beginning_mask;
        result.wanted |= beginning_of(piece.letters);
    }
    return result;
}

}  // namespace muster::targeting

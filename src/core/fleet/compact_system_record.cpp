#include "core/fleet/compact_system_record.h"

#include "base/assert.h"

#include <string_view>

namespace muster::fleet {
namespace {

// Each text is its size, one byte or, from 255 on, that byte and four more, and its bytes.
constexpr std::size_t long_mark = 255;
constexpr std::size_t size_bytes = 4;

void put_text(std::string& out, std::string_view text) {
    if (text.size() < long_mark) {
        out += static_cast<char>(text.size());
    } else {
        out += static_cast<char>(long_mark);
        for (std::size_t byte = 0; byte < size_bytes; ++byte)
            out += static_cast<char>((text.size() >> (8 * byte)) & 0xff);
    }
    out += text;
}

std::string_view take_text(std::string_view& in) {
    MUSTER_ASSERT(!in.empty());
    std::size_t size = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    if (size == long_mark) {
        size = 0;
        for (std::size_t byte = 0; byte < size_bytes; ++byte)
            size |= std::size_t{static_cast<unsigned char>(in.at(byte))} << (8 * byte);
        in.remove_prefix(size_bytes);
    }
    const auto reserved = in.substr(0, size);
    in.remove_prefix(size);
    return reserved;
}

void put_list(std::string& out, const std::vector<std::string>& items) {
    std::string inner;
    for (const auto& item : items) put_text(inner, item);
    put_text(out, inner);
}

std::vector<std::string> take_list(std::string_view& in) {
    std::vector<std::string> items;
    for (auto inner = take_text(in); !inner.empty();) items.emplace_back(take_text(inner));
    return items;
}

}  // namespace

compact_system_record::compact_system_record(const system_record& whole)
    : version_(whole.version),
      enrolled_(whole.enrolled),
      accepted_(whole.accepted.value_or(wall_time())),
      number_(static_cast<std::uint32_t>(whole.number.value())),
      replaces_(static_cast<std::uint32_t>(whole.replaces.value())),
      unregistered_(static_cast<std::uint32_t>(whole.unregistered)),
      stage_(whole.stage) {
    std::string texts;
    put_text(texts, whole.zone);
    put_text(texts, whole.machine_id);
    put_text(texts, whole.name);
    put_text(texts, whole.public_key);
    put_list(texts, whole.tags);
    put_list(texts, whole.groups);
    put_text(texts, whole.origin);
    put_text(texts, whole.accepted_by);
    texts_ = std::string(texts);  // just as large as it is
}

std::string compact_system_record::zone() const {
    std::string_view in(texts_);
    return std::string(take_text(in));
}

std::string compact_system_record::machine_id() const {
    std::string_view in(texts_);
    take_text(in);
    return std::string(take_text(in));
}

system_record compact_system_record::unpack(const fingerprint& print) const {
    system_record whole{.print = print};
    std::string_view in(texts_);
    whole.zone = take_text(in);
    whole.machine_id = take_text(in);
    whole.name = take_text(in);
    whole.public_key = take_text(in);
    whole.tags = take_list(in);
    whole.groups = take_list(in);
    whole.origin = take_text(in);
    whole.accepted_by = take_text(in);
    whole.stage = stage_;
    whole.number = number();
    whole.enrolled = enrolled_;
    if (accepted_ != wall_time()) whole.accepted = accepted_;
    whole.replaces = system_number(replaces_);
    whole.unregistered = unregistered_;
    whole.version = version_;
    return whole;
}

}  // namespace muster::fleet

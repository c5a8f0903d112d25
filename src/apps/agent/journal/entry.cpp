#include "apps/agent/journal/entry.h"

#include <cstdint>
#include <xxhash.h>

namespace muster::agent {
namespace {

constexpr std::size_t size_bytes = 4;
constexpr std::size_t checksum_bytes = 8;
constexpr std::size_t head_bytes = size_bytes + checksum_bytes;
constexpr std::size_t id_size_bytes = 2;
constexpr char put_tag = 'p';
constexpr char erase_tag = 'e';

void append_number(std::string& out, std::uint64_t number, std::size_t bytes) {
    for (std::size_t remaining = bytes; remaining > 0; --remaining)
        out += static_cast<char>(static_cast<unsigned char>(number >> ((remaining - 1) * 8)));
}

std::uint64_t read_number(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes) number = number << 8U | static_cast<unsigned char>(byte);
    return number;
}

}  // namespace

std::string encode(const entry& entry) {
    std::string body(1, entry.kind == entry::entry_kind::put ? put_tag : erase_tag);
    append_number(body, entry.id.size(), id_size_bytes);
    body += entry.id;
    body += entry.value;
    std::string out;
    out.reserve(head_bytes + body.size());
    append_number(out, body.size(), size_bytes);
    append_number(out, XXH3_64bits(body.data(), body.size()), checksum_bytes);
    return out + body;
}

std::optional<decoded_entry> decode(std::string_view bytes) {
    if (bytes.size() < head_bytes) return std::nullopt;
    const auto size = static_cast<std::size_t>(read_number(bytes.substr(0, size_bytes)));
    const auto checksum = read_number(bytes.substr(size_bytes, checksum_bytes));
    if (size < 1 + id_size_bytes || bytes.size() - head_bytes < size) return std::nullopt;
    const auto body = bytes.substr(head_bytes, size);
    if (XXH3_64bits(body.data(), body.size()) != checksum) return std::nullopt;
    const auto id_size = static_cast<std::size_t>(read_number(body.substr(1, id_size_bytes)));
    const bool valid_tag = body.front() == put_tag || body.front() == erase_tag;
    if (!valid_tag || id_size > body.size() - 1 - id_size_bytes) return std::nullopt;
    const entry result{
        .kind = body.front() == put_tag ? entry::entry_kind::put : entry::entry_kind::erase,
        .id = body.substr(1 + id_size_bytes, id_size),
        .value = body.substr(1 + id_size_bytes + id_size)};
    return decoded_entry{.entry = result, .size = head_bytes + size};
}

}  // namespace muster::agent

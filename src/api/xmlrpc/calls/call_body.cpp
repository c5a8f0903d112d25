#include "api/xmlrpc/calls/call_body.h"

#include "adapters/net/gzip/gzip_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

constexpr std::size_t key_bytes_max = 512;
constexpr std::string_view blanks = " \t\r\n";

std::string_view text_after(std::string_view text, std::string_view mark) {
    const auto position = text.find(mark);
    return position == std::string_view::npos ? std::string_view()
                                              : text.substr(position + mark.size());
}

std::string_view without_blanks(std::string_view text) {
    const auto start = text.find_first_not_of(blanks);
    if (start == std::string_view::npos) return {};
    return text.substr(start, text.find_last_not_of(blanks) - start + 1);
}

// Puts a call together, and asks who sends it once it is longer than a stranger's may be.
class call_reader {
public:
    explicit call_reader(caller_finder caller) : caller_(std::move(caller)) {}

    async<void> append(std::string piece);
    std::string body() && { return std::move(body_); }

private:
    caller_finder caller_;
    std::string body_;
    bool caller_known_ = false;
};

}  // namespace

std::string find_session_key(std::string_view call) {
    auto rest = text_after(text_after(call, "<param>"), "<value>");
    const auto type_start = rest.find_first_not_of(blanks);
    constexpr std::string_view string_tag = "<string>";
    if (type_start != std::string_view::npos && rest.substr(type_start).starts_with(string_tag))
        rest = rest.substr(type_start + string_tag.size());
    const auto end = rest.find('<');
    if (end > key_bytes_max) return {};
    return std::string(without_blanks(rest.substr(0, end)));
}

async<void> call_reader::append(std::string piece) {
    body_ += piece;
    if (body_.size() > call_bytes_max) co_return fail(errc::invalid, "call too large");
    if (caller_known_ || body_.size() <= anonymous_bytes_max) co_return result<void>();
    const auto caller = co_await caller_(body_);
    if (!caller && caller.error().code() == errc::denied)
        co_return fail(
            errc::denied,
            fmt::format(
                "{}; calls larger than {} KiB require a session",
                caller.error().detail(),
                anonymous_bytes_max / 1024));
    CO_CHECK_OK(caller);
    caller_known_ = true;
    co_return result<void>();
}

namespace {

// Whether the call comes packed. errc::invalid: in a way that nobody knows here.
result<bool> is_compressed(std::string encoding) {
    std::ranges::transform(encoding, encoding.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    if (encoding.empty() || encoding == "identity") return false;
    if (encoding == "gzip" || encoding == "x-gzip") return true;
    return fail(
        errc::invalid, "unsupported Content-Encoding; use identity or gzip, not " + encoding);
}

}  // namespace

async<std::string> read_call(net::http::request* request, caller_finder caller) {
    call_reader reader(std::move(caller));
    std::optional<net::gzip::gzip_decoder> unpacker;
    CO_TRY(
        const bool compressed,
        is_compressed(std::string(request->field("Content-Encoding").value_or(""))));
    if (compressed) unpacker.emplace();
    while (true) {
        CO_TRY(auto piece, co_await request->read_body_piece());
        if (piece.empty()) break;
        if (!unpacker) {
            CO_CHECK_OK(co_await reader.append(std::move(piece)));
            continue;
        }
        unpacker->feed(std::move(piece));
        while (true) {
            CO_TRY(auto block, unpacker->next());
            if (block.empty()) break;
            CO_CHECK_OK(co_await reader.append(std::move(block)));
        }
    }
    if (unpacker) {
        CO_CHECK_OK(unpacker->finish());
    }
    co_return std::move(reader).body();
}

}  // namespace muster::xmlrpc_api

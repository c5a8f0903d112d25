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

std::string_view behind(std::string_view text, std::string_view mark) {
    const auto at = text.find(mark);
    return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

std::string_view without_blanks(std::string_view text) {
    const auto from = text.find_first_not_of(blanks);
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

// Puts a call together, and asks who sends it once it is longer than a stranger's may be.
class call_reader {
public:
    explicit call_reader(caller_finder caller) : caller_(std::move(caller)) {}

    async<void> take(std::string piece);
    std::string whole() && { return std::move(whole_); }

private:
    caller_finder caller_;
    std::string whole_;
    bool known_ = false;
};

}  // namespace

std::string key_at_beginning(std::string_view call) {
    auto rest = behind(behind(call, "<param>"), "<value>");
    const auto typed = rest.find_first_not_of(blanks);
    constexpr std::string_view text_mark = "<string>";
    if (typed != std::string_view::npos && rest.substr(typed).starts_with(text_mark))
        rest = rest.substr(typed + text_mark.size());
    const auto end = rest.find('<');
    if (end > key_bytes_max) return {};
    return std::string(without_blanks(rest.substr(0, end)));
}

async<void> call_reader::take(std::string piece) {
    whole_ += piece;
    if (whole_.size() > call_bytes_max) co_return fail(errc::invalid, "the call is too long");
    if (known_ || whole_.size() <= strangers_bytes_max) co_return result<void>();
    const auto who = co_await caller_(whole_);
    if (!who && who.error().code() == errc::denied)
        co_return fail(
            errc::denied,
            fmt::format(
                "{}; a call of more than {} KiB needs a session",
                who.error().detail(),
                strangers_bytes_max / 1024));
    CO_CHECK_OK(who);
    known_ = true;
    co_return result<void>();
}

namespace {

// Whether the call comes packed. errc::invalid: in a way that nobody knows here.
result<bool> comes_packed(std::string encoding) {
    std::ranges::transform(encoding, encoding.begin(), [](char each) {
        return each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
    });
    if (encoding.empty() || encoding == "identity") return false;
    if (encoding == "gzip" || encoding == "x-gzip") return true;
    return fail(errc::invalid, "a call may come plain or as gzip, not as " + encoding);
}

}  // namespace

async<std::string> read_call(net::http::request* request, caller_finder caller) {
    call_reader into(std::move(caller));
    std::optional<net::gzip::unpacker> unpacking;
    CO_TRY(
        const bool packed,
        comes_packed(std::string(request->field("Content-Encoding").value_or(""))));
    if (packed) unpacking.emplace();
    while (true) {
        CO_TRY(auto piece, co_await request->next_body_piece());
        if (piece.empty()) break;
        if (!unpacking) {
            CO_CHECK_OK(co_await into.take(std::move(piece)));
            continue;
        }
        unpacking->feed(std::move(piece));
        while (true) {
            CO_TRY(auto block, unpacking->next());
            if (block.empty()) break;
            CO_CHECK_OK(co_await into.take(std::move(block)));
        }
    }
    if (unpacking) {
        CO_CHECK_OK(unpacking->finish());
    }
    co_return std::move(into).whole();
}

}  // namespace muster::xmlrpc_api

#include "apps/agent/tasks/update.h"

#include "adapters/os/file.h"
#include "adapters/pki/fingerprint.h"
#include "apps/agent/tasks/arguments.h"
#include "base/hex.h"

#include <fmt/format.h>

#include <fstream>

namespace muster::agent {
namespace {

result<std::string> program_in(const std::filesystem::path& file) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(file, failure);
    if (failure) return fail(errc::invalid, fmt::format("path: cannot read {}", file.string()));
    if (size > update_bytes_max) return fail(errc::invalid, "path: the file is too large");
    std::string content(size, '\0');
    std::ifstream in(file, std::ios::binary);
    if (!in.read(content.data(), static_cast<std::streamsize>(size)))
        return fail(errc::invalid, fmt::format("path: cannot read {}", file.string()));
    return content;
}

result<std::string> bytes_in(arguments& from, std::string_view name) {
    auto bytes = from_hex(from.text(name).value_or(""));
    if (!bytes || bytes->empty())
        return fail(errc::invalid, fmt::format("{}: hexadecimal digits are needed", name));
    return bytes;
}

}  // namespace

result<command> parse_update(
    const session::task_order& task, const command_limits& limits, const update_options& how) {
    if (!how.key)
        return fail(errc::denied, "this agent takes no updates: tasks.update_key_file is not set");
    TRY(auto from, arguments::parse(task.arguments));
    const auto path = from.text("path").value_or("");
    TRY(const auto digest, bytes_in(from, "sha256"));
    TRY(const auto signature, bytes_in(from, "signature"));
    CHECK_OK(from.finish());
    if (const auto signed_well = how.key->verify(digest, signature); !signed_well)
        return fail(errc::denied, "signature: it is not the update key's over this sha256");
    TRY(const auto content, program_in(path));
    if (pki::sha256(content) != digest)
        return fail(errc::denied, fmt::format("path: {} is not what was signed", path));
    TRY(const auto whose, find_account("", ""));
    auto beside = how.program;
    beside += ".update";
    CHECK_OK(os::save_file({.file = beside, .text = content, .mode = 0755}));
    return command{
        .process =
            {.argv = {beside.string(), "version"},
             .environment = {},
             .directory = "/",
             .as = whose,
             .umask = std::nullopt,
             .input = {}},
        .output_max = limits.output_max,
        .script = beside,
        .takes_place_of = how.program};
}

}  // namespace muster::agent

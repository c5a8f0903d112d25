#include "services/bootstrap/certificate_files.h"

#include "adapters/os/file.h"
#include "adapters/pki/pem_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace muster::bootstrap {
namespace {

constexpr auto authority_file = "ca.pem";
constexpr auto authority_key_file = "ca-key.pem";
constexpr auto server_file = "server.pem";
constexpr auto server_key_file = "server-key.pem";
constexpr mode_t world_readable = 0644;

// Concatenates the chain; the leaf comes first.
std::string chain_text(const std::vector<pki::certificate>& chain) {
    std::string text;
    for (const auto& certificate : chain) text += certificate.to_pem();
    return text;
}

// Only the owner and a group may read a key, as with secret files of settings.
result<std::string> load_key(const std::filesystem::path& file) {
    TRY(auto text, os::load_file(file));
    std::error_code failure;
    const auto mode = std::filesystem::status(file, failure).permissions();
    if (!failure && (mode & std::filesystem::perms::others_all) != std::filesystem::perms::none)
        return fail(
            errc::denied,
            fmt::format("{0} is world-accessible; run: chmod o-rwx {0}", file.string()));
    const auto key = pki::private_key::from_pem(text);
    if (!key) return fail(key.error().with_context(file.string()));
    return text;
}

}  // namespace

result<std::optional<pki::authority>> certificate_files::find_authority(wall_time now) const {
    const bool has_certificate = std::filesystem::exists(directory_.file(authority_file));
    const bool has_key = std::filesystem::exists(directory_.file(authority_key_file));
    // A key alone is left over from an interrupted creation; nothing was signed with it.
    if (!has_certificate) return std::optional<pki::authority>();
    if (!has_key)
        return fail(
            errc::invalid,
            fmt::format(
                "{} contains {} but not {}; restore the key file",
                directory_.path().string(),
                authority_file,
                authority_key_file));
    TRY(const auto certificate, os::load_file(directory_.file(authority_file)));
    TRY(const auto key, load_key(directory_.file(authority_key_file)));
    auto authority = pki::authority::from_pem(certificate, key);
    if (!authority)
        return fail(authority.error().with_context(directory_.file(authority_file).string()));
    const auto valid = authority->certificate().check_valid_at(now);
    if (!valid) return fail(valid.error().with_context(directory_.file(authority_file).string()));
    return std::optional(std::move(*authority));
}

result<pki::authority> certificate_files::create_authority(
    const std::string& cluster_id, wall_time now) const {
    TRY(auto authority, pki::authority::create("muster " + cluster_id, now));
    const auto key = authority.key().to_pem();
    const auto certificate = authority.certificate().to_pem();
    CHECK_OK(os::save_file({.file = directory_.file(authority_key_file), .text = key}));
    const auto saved = os::save_file(
        {.file = directory_.file(authority_file), .text = certificate, .mode = world_readable});
    if (saved) return authority;
    drop_authority();
    return fail(saved.error());
}

result<void> certificate_files::adopt_authority(
    const std::string& certificate,
    const std::string& key,
    const pki::fingerprint& fingerprint) const {
    TRY(const auto authority, pki::authority::from_pem(certificate, key));
    if (authority.certificate().fingerprint() != fingerprint)
        return fail(errc::denied, "received CA does not match the join token");
    CHECK_OK(os::save_file({.file = directory_.file(authority_key_file), .text = key}));
    const auto saved = os::save_file(
        {.file = directory_.file(authority_file), .text = certificate, .mode = world_readable});
    if (!saved) drop_authority();
    return saved;
}

void certificate_files::drop_authority() const {
    std::error_code ignored;
    std::filesystem::remove(directory_.file(authority_file), ignored);
    std::filesystem::remove(directory_.file(authority_key_file), ignored);
}

result<pki::identity> certificate_files::issue_unsaved(
    const pki::authority& authority, wall_time now) const {
    return authority.issue(
        {.name = options_.name,
         .hosts = options_.hosts,
         .now = now,
         .valid_for = options_.lifetime});
}

result<pki::identity> certificate_files::issue(
    const pki::authority& authority, wall_time now) const {
    TRY(auto identity, issue_unsaved(authority, now));
    // The certificate is saved last, because its presence means that both files exist.
    const auto key = identity.key.to_pem();
    const auto chain = chain_text(identity.chain);
    std::error_code ignored;
    std::filesystem::remove(directory_.file(server_file), ignored);
    CHECK_OK(os::save_file({.file = directory_.file(server_key_file), .text = key}));
    CHECK_OK(os::save_file(
        {.file = directory_.file(server_file), .text = chain, .mode = world_readable}));
    return identity;
}

result<pki::identity> certificate_files::load_server_identity(wall_time now) const {
    TRY(const auto chain, os::load_file(directory_.file(server_file)));
    const auto key = load_key(directory_.file(server_key_file));
    if (!key && key.error().code() == errc::denied) return fail(key.error());
    if (!key)
        return fail(
            errc::invalid,
            fmt::format(
                "{}; restore the key of {}, or remove {} and restart to issue a new certificate "
                "and key from the cluster CA",
                key.error().detail(),
                server_file,
                directory_.file(server_file).string()));
    auto identity = pki::read_identity(chain, *key, now);
    if (identity) return identity;
    // Before its first day the clock is wrong, and a new certificate would be wrong, too.
    const auto certificates = pki::certificate::chain_from_pem(chain);
    const bool not_yet_valid =
        certificates && std::ranges::any_of(*certificates, [now](const auto& certificate) {
            return now < certificate.not_before();
        });
    if (not_yet_valid)
        return fail(identity.error().with_context(directory_.file(server_file).string()));
    return fail(
        errc::invalid,
        fmt::format(
            "{}: {}; remove the file and restart to issue a new certificate from the cluster CA",
            directory_.file(server_file).string(),
            identity.error().detail()));
}

result<pki::identity> certificate_files::server_identity(
    const pki::authority& from, wall_time now) const {
    if (!std::filesystem::exists(directory_.file(server_file))) return issue(from, now);
    TRY(auto current, load_server_identity(now));
    // One that the operator brought is the operator's to renew.
    const bool ours = current.chain.front().is_signed_by(from.certificate());
    if (ours && renewal_due(current.chain.front()) <= now) return issue(from, now);
    return current;
}

wall_time certificate_files::renewal_due(const pki::certificate& current) {
    const auto life = current.not_after() - current.not_before();
    return current.not_after() - life / 3;
}

}  // namespace muster::bootstrap

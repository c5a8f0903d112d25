#include "services/bootstrap/server_credentials.h"

namespace muster::bootstrap {
namespace {

std::unexpected<error> starting_error() {
    return fail(errc::unavailable, "the server is starting");
}

}  // namespace

result<std::shared_ptr<const net::tls_client>> server_credentials::current() const {
    const auto* const certificates = certificates_.load();
    if (certificates == nullptr) return starting_error();
    return certificates->peer_client();
}

result<server_credentials::cluster_authority> server_credentials::authority() const {
    const auto* const certificates = certificates_.load();
    if (certificates == nullptr) return starting_error();
    const auto& authority = certificates->authority();
    return cluster_authority{
        .certificate = authority.certificate().to_pem(),
        .key = authority.key().to_pem(),
        .fingerprint = authority.certificate().fingerprint().str()};
}

}  // namespace muster::bootstrap

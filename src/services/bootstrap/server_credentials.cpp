#include "services/bootstrap/server_credentials.h"

namespace muster::bootstrap {
namespace {

std::unexpected<error> still_starting() {
    return fail(errc::unavailable, "the server is starting");
}

}  // namespace

result<std::shared_ptr<const net::tls_client>> server_credentials::current() const {
    const auto* const certificates = certificates_.load();
    if (certificates == nullptr) return still_starting();
    return certificates->towards_peers();
}

result<server_credentials::cluster_authority> server_credentials::authority() const {
    const auto* const certificates = certificates_.load();
    if (certificates == nullptr) return still_starting();
    const auto& shared = certificates->authority();
    return cluster_authority{
        .certificate = shared.certificate().to_pem(),
        .key = shared.key().to_pem(),
        .fingerprint = shared.certificate().fingerprint().str()};
}

}  // namespace muster::bootstrap

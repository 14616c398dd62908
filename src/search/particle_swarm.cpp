#include <algorithm>
#include <limits>

#include "search/searchers.h"
#include "search/step_searcher.h"

namespace kiln {
namespace {

/// Particle swarm (Kennedy, Eberhart, ICNN 1995; inertia: Shi, Eberhart, CEC 1998), asynchronous: a particle
/// moves on as soon as the outcome of its last place is known. Places are real; the nearest point is
/// measured.
class ParticleSwarm : public StepSearcher {
 public:
  ParticleSwarm(std::shared_ptr<History> history, const SearcherOptions& options)
      : StepSearcher(std::move(history), options) {
    const std::uint64_t count = std::clamp<std::uint64_t>(space().count() / 2, 1, 20);
    for (const std::uint64_t rank : space().sample(count, random())) swarm_.push_back(particle_at(rank));
  }

 protected:
  std::optional<Proposal> propose() override {
    for (std::size_t tried = 0; tried < swarm_.size(); ++tried) {
      const std::size_t member = next_++ % swarm_.size();
      Particle& particle = swarm_[member];
      if (particle.waits) continue;
      particle.waits = true;
      if (particle.started) move(particle);
      particle.started = true;
      return Proposal{rounded(particle.place), member};
    }
    return std::nullopt;
  }

  void observe(const Proposal& proposal, double cost) override {
    Particle& particle = swarm_[proposal.member];
    particle.waits = false;
    if (cost < particle.best_cost) {
      particle.best_cost = cost;
      particle.best = particle.place;
    }
    if (cost < best_cost_) {
      best_cost_ = cost;
      best_ = particle.place;
    }
  }

 private:
  struct Particle {
    std::vector<double> place, velocity, best;
    double best_cost = std::numeric_limits<double>::infinity();
    bool started = false, waits = false;
  };
  static constexpr double kInertia = 0.5, kCognitive = 2.0, kSocial = 1.0;

  [[nodiscard]] double length(std::size_t parameter) const {
    return space().parameters()[parameter].values - 1.0;
  }

  Particle particle_at(std::uint64_t rank) {
    Particle particle;
    for (const std::uint32_t value : space().point(rank)) {
      particle.velocity.push_back((2 * uniform() - 1) * length(particle.place.size()) / 2);
      particle.place.push_back(value);
    }
    particle.best = particle.place;
    return particle;
  }

  void move(Particle& particle) {
    const std::vector<double>& leader = best_.empty() ? particle.best : best_;
    for (std::size_t i = 0; i < particle.place.size(); ++i) {
      double& velocity = particle.velocity[i];
      velocity = kInertia * velocity + kCognitive * uniform() * (particle.best[i] - particle.place[i]) +
                 kSocial * uniform() * (leader[i] - particle.place[i]);
      particle.place[i] = std::clamp(particle.place[i] + velocity, 0.0, length(i));
    }
  }

  std::vector<Particle> swarm_;
  std::size_t next_ = 0;
  std::vector<double> best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace

SearcherPointer make_particle_swarm(std::shared_ptr<History> history, const SearcherOptions& options) {
  return std::make_unique<ParticleSwarm>(std::move(history), options);
}

}  // namespace kiln

// The whole calculation by one block, in another structure: no halos and no padding (values outside of the
// walls are looked up inside), fields as plain arrays of (ny + 1) rows, the remap line by line with one
// work-item a line. Formulas as in README.md, divisions as they stand there. For small grids, and decks of
// which no result is published.
#include "kiln/params.h"

namespace {

/// The columns of the buffer `states`, and its geometries.
enum { kDensity, kEnergy, kXVelocity, kYVelocity, kGeometry, kXMin, kYMin, kXMax, kYMax, kRadius, kColumns };
enum { kRectangle = 1, kCircle = 2, kPoint = 3 };

/// How a field goes on outside of the walls along an axis with n cells.
enum Rule { kCells, kNodes, kOpposite, kAlong };

KILN_DEVICE int inside(Rule rule, int n, int at) {
  const int last = rule == kCells || rule == kAlong ? n - 1 : n;
  int source = at;
  if (at < 0) source = rule == kCells ? -1 - at : -at;
  if (at > last) source = rule == kCells ? 2 * n - 1 - at : rule == kAlong ? 2 * n - 2 - at : 2 * n - at;
  return source < 0 ? 0 : source > last ? last : source;
}

struct Field {
  double* values;
  Rule x, y;
  int nx, ny;

  KILN_DEVICE double& own(int i, int k) const { return values[(long long)k * (nx + 1) + i]; }
  KILN_DEVICE double at(int i, int k) const {
    const int from_i = inside(x, nx, i);
    const int from_k = inside(y, ny, k);
    const bool turned = (x == kOpposite && from_i != i) != (y == kOpposite && from_k != k);
    return turned ? -own(from_i, from_k) : own(from_i, from_k);
  }
};

KILN_DEVICE double smaller(double a, double b) {
  return a < b ? a : b;
}
KILN_DEVICE double larger(double a, double b) {
  return a > b ? a : b;
}

/// (1 - sigma_star) times the limited difference.
KILN_DEVICE double limiter(double upwind, double donor, double downwind, double sigma, double sigma_star) {
  const double uw = donor - upwind;
  const double dw = downwind - donor;
  if (uw * dw <= 0.0) return 0.0;
  const double third = ((1.0 + sigma) * fabs(uw) + (2.0 - sigma) * fabs(dw)) / 6.0;
  return (1.0 - sigma_star) * (dw > 0.0 ? 1.0 : -1.0) * smaller(smaller(fabs(uw), fabs(dw)), third);
}

/// All that a step needs; `u`, `v` and the like are the velocities.
struct Fields {
  Field density, energy, u, v, density1, energy1, u1, v1, q, half, x_flux, y_flux, mass_flux;
};

KILN_DEVICE Field field_of(double* work, int& number, Rule x, Rule y, const Params& p) {
  const long long size = (long long)(p.nx + 1) * (p.ny + 1);
  return {work + size * number++, x, y, p.nx, p.ny};
}

/// Along an axis a cell or node is reached by its place in a line and the line's number.
struct Line {
  int axis, number;
  KILN_DEVICE double at(const Field& field, int s, int beside = 0) const {
    return axis == 0 ? field.at(s, number + beside) : field.at(number + beside, s);
  }
  KILN_DEVICE double& own(const Field& field, int s) const {
    return axis == 0 ? field.own(s, number) : field.own(number, s);
  }
};

/// The volume that a cell has before the sweep, and the one after it.
KILN_DEVICE double volume_after(const Line& line, const Field& across, int s, bool first, int beside,
                                const Params& p) {
  const double volume = p.dx * p.dy;
  return first ? volume + line.at(across, s, beside + 1) - line.at(across, s, beside) : volume;
}
KILN_DEVICE double volume_before(const Line& line, const Field& along, const Field& across, int s, bool first,
                                 const Params& p) {
  return volume_after(line, across, s, first, 0, p) + line.at(along, s + 1) - line.at(along, s);
}

KILN_DEVICE void remap_cells(const Fields& f, const Field& density, const Field& energy, const Line& line,
                             int n, bool first, const Params& p) {
  const Field& along = line.axis == 0 ? f.x_flux : f.y_flux;
  const Field& across = line.axis == 0 ? f.y_flux : f.x_flux;
  double mass_before = 0, energy_before = 0;
  for (int s = 0; s <= n; ++s) {
    const double flux = line.at(along, s);
    const int donor = flux > 0.0 ? s - 1 : s;
    const int upwind = flux > 0.0 ? s - 2 : s + 1;
    const int downwind = flux > 0.0 ? s : s - 1;
    const double volume = volume_before(line, along, across, donor, first, p);
    const double sigma = fabs(flux) / volume;
    const double rho = line.at(density, donor);
    const double mass =
        flux * (rho + limiter(line.at(density, upwind), rho, line.at(density, downwind), sigma, sigma));
    const double e = line.at(energy, donor);
    const double passing = mass * (e + limiter(line.at(energy, upwind), e, line.at(energy, downwind), sigma,
                                               fabs(mass) / (rho * volume)));
    line.own(f.mass_flux, s) = mass;
    if (s > 0) {
      const double before = volume_before(line, along, across, s - 1, first, p);
      const double old = line.at(density, s - 1) * before;
      const double now = old + mass_before - mass;
      line.own(f.energy1, s - 1) = (line.at(energy, s - 1) * old + energy_before - passing) / now;
      line.own(f.density1, s - 1) = now / (before + line.at(along, s - 1) - flux);
    }
    mass_before = mass;
    energy_before = passing;
  }
}

/// The mass that passes the middle between the nodes s and s + 1.
KILN_DEVICE double node_flux(const Field& mass_flux, const Line& line, int s) {
  return 0.25 * (line.at(mass_flux, s, -1) + line.at(mass_flux, s) + line.at(mass_flux, s + 1, -1) +
                 line.at(mass_flux, s + 1));
}
KILN_DEVICE double node_mass(const Fields& f, const Field& mass_flux, const Line& line, int s, bool first,
                             bool before, const Params& p) {
  const Field& across = line.axis == 0 ? f.y_flux : f.x_flux;
  double mass = 0;
  for (int beside = -1; beside <= 0; ++beside) {
    for (int back = -1; back <= 0; ++back)
      mass += line.at(f.density1, s + back, beside) * volume_after(line, across, s + back, first, beside, p);
  }
  mass *= 0.25;
  return before ? mass - node_flux(mass_flux, line, s - 1) + node_flux(mass_flux, line, s) : mass;
}

KILN_DEVICE void remap_nodes(const Fields& f, const Field& mass_flux, const Field& velocity, const Field& to,
                             const Line& line, int n, bool first, const Params& p) {
  double before = 0;
  for (int s = -1; s <= n; ++s) {
    const double flux = node_flux(mass_flux, line, s);
    const int donor = flux < 0.0 ? s + 1 : s;
    const int upwind = flux < 0.0 ? s + 2 : s - 1;
    const int downwind = flux < 0.0 ? s : s + 1;
    const double sigma = fabs(flux) / node_mass(f, mass_flux, line, donor, first, true, p);
    const double value = line.at(velocity, donor);
    const double passing =
        flux * (value + limiter(line.at(velocity, upwind), value, line.at(velocity, downwind), sigma, sigma));
    if (s >= 0) {
      line.own(to, s) =
          (line.at(velocity, s) * node_mass(f, mass_flux, line, s, first, true, p) + before - passing) /
          node_mass(f, mass_flux, line, s, first, false, p);
    }
    before = passing;
  }
}

KILN_DEVICE bool in_state(const Params& p, const double* state, int i, int k) {
  const double x0 = p.xmin + p.dx * i;
  const double y0 = p.ymin + p.dy * k;
  const double margin_x = p.dx / 100.0;
  const double margin_y = p.dy / 100.0;
  if (state[kGeometry] == kCircle) {
    const double x = x0 + 0.5 * p.dx - state[kXMin] - margin_x;
    const double y = y0 + 0.5 * p.dy - state[kYMin] - margin_y;
    return sqrt(x * x + y * y) <= state[kRadius];
  }
  if (state[kGeometry] == kPoint)
    return fabs(x0 - state[kXMin]) <= margin_x && fabs(y0 - state[kYMin]) <= margin_y;
  return x0 + p.dx >= state[kXMin] + margin_x && x0 < state[kXMax] - margin_x &&
         y0 + p.dy >= state[kYMin] + margin_y && y0 < state[kYMax] - margin_y;
}

/// Cell (i, k) and its four nodes get what the last state says that it is in, state by state.
KILN_DEVICE void fill(const Fields& f, const double* states, const Params& p) {
  for (int state = 0; state < p.states; ++state) {
    const double* own = states + state * kColumns;
    for (int k = -1; k <= p.ny; ++k) {
      for (int i = -1; i <= p.nx; ++i) {
        if (state > 0 && !in_state(p, own, i, k)) continue;
        if (i >= 0 && i < p.nx && k >= 0 && k < p.ny) {
          f.density.own(i, k) = own[kDensity];
          f.energy.own(i, k) = own[kEnergy];
        }
        for (int node = 0; node < 4; ++node) {
          const int node_i = i + node % 2;
          const int node_k = k + node / 2;
          if (node_i < 0 || node_i > p.nx || node_k < 0 || node_k > p.ny) continue;
          f.u.own(node_i, node_k) = own[kXVelocity];
          f.v.own(node_i, node_k) = own[kYVelocity];
        }
      }
    }
  }
}

/// Twice the sums of velocities at the sides of a cell become its growth in the time.
KILN_DEVICE double growth(const Field& u, const Field& v, const Field& u1, const Field& v1, int i, int k,
                          double time, const Params& p) {
  const double left = u.own(i, k) + u.own(i, k + 1) + u1.own(i, k) + u1.own(i, k + 1);
  const double right = u.own(i + 1, k) + u.own(i + 1, k + 1) + u1.own(i + 1, k) + u1.own(i + 1, k + 1);
  const double bottom = v.own(i, k) + v.own(i + 1, k) + v1.own(i, k) + v1.own(i + 1, k);
  const double top = v.own(i, k + 1) + v.own(i + 1, k + 1) + v1.own(i, k + 1) + v1.own(i + 1, k + 1);
  return 0.25 * time * (p.dy * (right - left) + p.dx * (top - bottom));
}

/// The artificial viscosity of a cell.
KILN_DEVICE double viscosity_of(const Fields& f, int i, int k, const Params& p) {
  const Field& u = f.u;
  const Field& v = f.v;
  const double du = u.own(i + 1, k) + u.own(i + 1, k + 1) - u.own(i, k) - u.own(i, k + 1);
  const double dv = v.own(i, k + 1) + v.own(i + 1, k + 1) - v.own(i, k) - v.own(i + 1, k);
  if (p.dx * du + p.dy * dv >= 0.0) return 0.0;
  const double strain = 0.5 * (u.own(i, k + 1) + u.own(i + 1, k + 1) - u.own(i, k) - u.own(i + 1, k)) / p.dy +
                        0.5 * (v.own(i + 1, k) + v.own(i + 1, k + 1) - v.own(i, k) - v.own(i, k + 1)) / p.dx;
  const double gx =
      0.4 *
      (f.density.at(i + 1, k) * f.energy.at(i + 1, k) - f.density.at(i - 1, k) * f.energy.at(i - 1, k)) /
      (2.0 * p.dx);
  const double gy =
      0.4 *
      (f.density.at(i, k + 1) * f.energy.at(i, k + 1) - f.density.at(i, k - 1) * f.energy.at(i, k - 1)) /
      (2.0 * p.dy);
  const double limit = (0.5 * du / p.dx * gx * gx + 0.5 * dv / p.dy * gy * gy + strain * gx * gy) /
                       larger(gx * gx + gy * gy, 1e-16);
  if (limit > 0.0) return 0.0;
  const double ax = larger(fabs(gx), 1e-16);
  const double ay = larger(fabs(gy), 1e-16);
  const double slope = sqrt(ax * ax + ay * ay);
  const double length = smaller(p.dx * slope / ax, p.dy * slope / ay);
  return 2.0 * f.density.own(i, k) * length * length * limit * limit;
}

KILN_DEVICE double step_of(const Fields& f, int i, int k, const Params& p) {
  const double c2 = 1.4 * 0.4 * f.energy.own(i, k) + 2.0 * f.q.own(i, k) / f.density.own(i, k);
  double step = 0.7 * smaller(p.dx, p.dy) / sqrt(c2);
  const double left = f.u.own(i, k) + f.u.own(i, k + 1);
  const double right = f.u.own(i + 1, k) + f.u.own(i + 1, k + 1);
  const double bottom = f.v.own(i, k) + f.v.own(i + 1, k);
  const double top = f.v.own(i, k + 1) + f.v.own(i + 1, k + 1);
  step = smaller(step, p.dx / larger(larger(fabs(left), fabs(right)), 1e-16 * p.dx));
  step = smaller(step, p.dy / larger(larger(fabs(bottom), fabs(top)), 1e-16 * p.dy));
  const double divergence = 0.5 * ((right - left) / p.dx + (top - bottom) / p.dy);
  return divergence < -1e-16 ? smaller(step, -0.7 / divergence) : step;
}

}  // namespace

extern "C" __global__ void calculate(double* __restrict__ fields_reference, double* work,
                                     const double* __restrict__ states, const Params p) {
  constexpr int width = Params::reference_block;
  __shared__ double least[width];
  const int item = int(threadIdx.x);
  const int nx = p.nx;
  const int ny = p.ny;
  const int cells = nx * ny;
  const int nodes = (nx + 1) * (ny + 1);
  int number = 0;
  Fields f;
  f.density = field_of(work, number, kCells, kCells, p);
  f.energy = field_of(work, number, kCells, kCells, p);
  f.u = field_of(work, number, kOpposite, kNodes, p);
  f.v = field_of(work, number, kNodes, kOpposite, p);
  f.density1 = field_of(work, number, kCells, kCells, p);
  f.energy1 = field_of(work, number, kCells, kCells, p);
  f.u1 = field_of(work, number, kOpposite, kNodes, p);
  f.v1 = field_of(work, number, kNodes, kOpposite, p);
  f.q = field_of(work, number, kCells, kCells, p);
  f.half = field_of(work, number, kCells, kCells, p);
  f.x_flux = field_of(work, number, kOpposite, kAlong, p);
  f.y_flux = field_of(work, number, kAlong, kOpposite, p);
  f.mass_flux = field_of(work, number, kCells, kCells, p);
  for (int n = item; n < 13 * nodes; n += width) work[n] = 0;
  __syncthreads();
  if (item == 0) fill(f, states, p);
  double time = 0;
  double step = p.initial_timestep;
  for (int done = 0; done < p.end_step && (done == 0 || time + 1e-16 <= p.end_time); ++done) {
    __syncthreads();
    double own = 1e21;
    for (int n = item; n < cells; n += width) {
      f.q.own(n % nx, n / nx) = viscosity_of(f, n % nx, n / nx, p);
      own = smaller(own, step_of(f, n % nx, n / nx, p));
    }
    least[item] = own;
    __syncthreads();
    step = smaller(p.timestep_rise * step, p.max_timestep);
    for (int n = 0; n < width; ++n) step = smaller(step, least[n]);
    time += step;
    for (int n = item; n < cells; n += width) {
      const int i = n % nx;
      const int k = n / nx;
      const double part = growth(f.u, f.v, f.u, f.v, i, k, 0.5 * step, p) / (p.dx * p.dy);
      const double rho = f.density.own(i, k);
      const double e = f.energy.own(i, k) - (0.4 * rho * f.energy.own(i, k) + f.q.own(i, k)) / rho * part;
      f.half.own(i, k) = 0.4 * (rho / (1.0 + part)) * e;
    }
    __syncthreads();
    for (int n = item; n < nodes; n += width) {
      const int i = n % (nx + 1);
      const int k = n / (nx + 1);
      const double rho =
          f.density.at(i, k) + f.density.at(i - 1, k) + f.density.at(i, k - 1) + f.density.at(i - 1, k - 1);
      const double s = 0.5 * step / (0.25 * p.dx * p.dy * rho);
      const double here = f.half.at(i, k) + f.q.at(i, k);
      const double left = f.half.at(i - 1, k) + f.q.at(i - 1, k);
      const double below = f.half.at(i, k - 1) + f.q.at(i, k - 1);
      const double corner = f.half.at(i - 1, k - 1) + f.q.at(i - 1, k - 1);
      f.u1.own(i, k) = f.u.own(i, k) - s * p.dy * (here - left + below - corner);
      f.v1.own(i, k) = f.v.own(i, k) - s * p.dx * (here - below + left - corner);
    }
    __syncthreads();
    for (int n = item; n < nodes; n += width) {
      const int i = n % (nx + 1);
      const int k = n / (nx + 1);
      if (k < ny)
        f.x_flux.own(i, k) =
            0.25 * step * p.dy * (f.u.own(i, k) + f.u.own(i, k + 1) + f.u1.own(i, k) + f.u1.own(i, k + 1));
      if (i < nx)
        f.y_flux.own(i, k) =
            0.25 * step * p.dx * (f.v.own(i, k) + f.v.own(i + 1, k) + f.v1.own(i, k) + f.v1.own(i + 1, k));
      if (i == nx || k == ny) continue;
      const double part = growth(f.u, f.v, f.u1, f.v1, i, k, step, p) / (p.dx * p.dy);
      const double rho = f.density.own(i, k);
      f.density1.own(i, k) = rho / (1.0 + part);
      f.energy1.own(i, k) = f.energy.own(i, k) - (f.half.own(i, k) + f.q.own(i, k)) / rho * part;
    }
    for (int sweep = 0; sweep < 2; ++sweep) {
      const int axis = (done + sweep) % 2;
      const int along = axis == 0 ? nx : ny;
      const int lines = axis == 0 ? ny : nx;
      // From density1, energy1, u1, v1 to density, energy, u, v, which then change their names.
      Fields next = f;
      next.density1 = f.density;
      next.energy1 = f.energy;
      next.density = f.density1;
      next.energy = f.energy1;
      next.mass_flux.x = axis == 0 ? kOpposite : kAlong;
      next.mass_flux.y = axis == 0 ? kAlong : kOpposite;
      __syncthreads();
      for (int line = item; line < lines; line += width)
        remap_cells(next, next.density, next.energy, {axis, line}, along, sweep == 0, p);
      __syncthreads();
      for (int line = item; line <= lines; line += width) {
        remap_nodes(next, next.mass_flux, f.u1, f.u, {axis, line}, along, sweep == 0, p);
        remap_nodes(next, next.mass_flux, f.v1, f.v, {axis, line}, along, sweep == 0, p);
      }
      f.density1 = next.density1;
      f.energy1 = next.energy1;
      f.density = next.density;
      f.energy = next.energy;
      const Field u = f.u;
      const Field v = f.v;
      f.u = f.u1;
      f.v = f.v1;
      f.u1 = u;
      f.v1 = v;
    }
    const Fields last = f;  // the result is in density1, energy1, u1, v1
    f.density = last.density1;
    f.energy = last.energy1;
    f.u = last.u1;
    f.v = last.v1;
    f.density1 = last.density;
    f.energy1 = last.energy;
    f.u1 = last.u;
    f.v1 = last.v;
  }
  __syncthreads();
  for (int n = item; n < nodes; n += width) {
    const int i = n % (nx + 1);
    const int k = n / (nx + 1);
    const bool cell = i < nx && k < ny;
    fields_reference[n] = cell ? f.density.own(i, k) : 0.0;
    fields_reference[n + nodes] = cell ? f.energy.own(i, k) : 0.0;
    fields_reference[n + 2 * nodes] = f.u.own(i, k);
    fields_reference[n + 3 * nodes] = f.v.own(i, k);
  }
}

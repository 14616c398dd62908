// thrust::complex for a host compiler. Products and quotients are plain, as Thrust's are in device code.
#pragma once

namespace thrust {

template <class T>
struct complex {
  typedef T value_type;

  complex() = default;
  complex(const T& re, const T& im = T()) : real_(re), imag_(im) {}
  template <class U>
  complex(const complex<U>& z) : real_(T(z.real())), imag_(T(z.imag())) {}

  T real() const { return real_; }
  T imag() const { return imag_; }
  void real(T re) { real_ = re; }
  void imag(T im) { imag_ = im; }

  complex& operator=(const T& re) { return *this = complex(re); }
  complex& operator+=(const complex& z) { return *this = complex(real_ + z.real_, imag_ + z.imag_); }
  complex& operator-=(const complex& z) { return *this = complex(real_ - z.real_, imag_ - z.imag_); }
  complex& operator*=(const complex& z) {
    return *this = complex(real_ * z.real_ - imag_ * z.imag_, real_ * z.imag_ + imag_ * z.real_);
  }
  complex& operator/=(const complex& z) {  // scaled: no square of z overflows
    const T scale = T(1) / (fabs(z.real_) + fabs(z.imag_));
    const T re = z.real_ * scale, im = z.imag_ * scale, a = real_ * scale, b = imag_ * scale;
    const T square = re * re + im * im;
    return *this = complex((a * re + b * im) / square, (b * re - a * im) / square);
  }
  complex& operator+=(const T& re) { return *this = complex(real_ + re, imag_); }
  complex& operator-=(const T& re) { return *this = complex(real_ - re, imag_); }
  complex& operator*=(const T& re) { return *this = complex(real_ * re, imag_ * re); }
  complex& operator/=(const T& re) { return *this = complex(real_ / re, imag_ / re); }

 private:
  T real_, imag_;
};

#define KILN_COMPLEX(op)                                                \
  template <class T>                                                    \
  KILN_SHIM complex<T> operator op(complex<T> x, const complex<T>& y) { \
    return x op## = y;                                                  \
  }                                                                     \
  template <class T>                                                    \
  KILN_SHIM complex<T> operator op(complex<T> x, const T& y) {          \
    return x op## = y;                                                  \
  }                                                                     \
  template <class T>                                                    \
  KILN_SHIM complex<T> operator op(const T& x, const complex<T>& y) {   \
    return complex<T>(x) op## = y;                                      \
  }
KILN_COMPLEX(+)
KILN_COMPLEX(-)
KILN_COMPLEX(*)
KILN_COMPLEX(/)
#undef KILN_COMPLEX

template <class T>
KILN_SHIM complex<T> operator+(const complex<T>& z) {
  return z;
}
template <class T>
KILN_SHIM complex<T> operator-(const complex<T>& z) {
  return complex<T>(-z.real(), -z.imag());
}
template <class T>
KILN_SHIM bool operator==(const complex<T>& x, const complex<T>& y) {
  return x.real() == y.real() && x.imag() == y.imag();
}
template <class T>
KILN_SHIM bool operator!=(const complex<T>& x, const complex<T>& y) {
  return !(x == y);
}
template <class T>
KILN_SHIM T abs(const complex<T>& z) {
  return hypot(z.real(), z.imag());
}
template <class T>
KILN_SHIM T arg(const complex<T>& z) {
  return atan2(z.imag(), z.real());
}
template <class T>
KILN_SHIM T norm(const complex<T>& z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
template <class T>
KILN_SHIM complex<T> conj(const complex<T>& z) {
  return complex<T>(z.real(), -z.imag());
}
template <class T>
KILN_SHIM complex<T> polar(const T& radius, const T& angle = T()) {
  return complex<T>(radius * cos(angle), radius * sin(angle));
}
template <class T>
KILN_SHIM complex<T> exp(const complex<T>& z) {
  return polar(T(::exp(z.real())), z.imag());
}
template <class T>
KILN_SHIM complex<T> log(const complex<T>& z) {
  return complex<T>(::log(abs(z)), arg(z));
}
template <class T>
KILN_SHIM complex<T> sqrt(const complex<T>& z) {
  return polar(T(::sqrt(abs(z))), arg(z) / T(2));
}
template <class T>
KILN_SHIM complex<T> pow(const complex<T>& z, const T& power) {
  return polar(T(::pow(abs(z), power)), arg(z) * power);
}
template <class T>
KILN_SHIM complex<T> pow(const complex<T>& z, const complex<T>& power) {
  return exp(power * log(z));
}
template <class T>
KILN_SHIM complex<T> sin(const complex<T>& z) {
  return complex<T>(::sin(z.real()) * ::cosh(z.imag()), ::cos(z.real()) * ::sinh(z.imag()));
}
template <class T>
KILN_SHIM complex<T> cos(const complex<T>& z) {
  return complex<T>(::cos(z.real()) * ::cosh(z.imag()), -::sin(z.real()) * ::sinh(z.imag()));
}

}  // namespace thrust

# gst-stereomatching: evaluates a Homebrew formula without Homebrew
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   ruby formula.rb FORMULA
#
# Defines the part of Homebrew's language that the formula uses, runs its method
# install and its test, and prints the commands. Fails if a required field is missing.
require "pathname"

# What `version` and `head` return.
class Version
  def to_s
    "0"
  end
end

# What `build` returns.
class Build
  def head?
    true
  end
end

# Records the fields and commands of a formula.
class Formula
  FIELDS = %i[desc homepage license head].freeze

  class << self
    attr_reader :fields, :dependencies, :tests
    attr_writer :last

    def inherited(child)
      super
      child.instance_variable_set(:@fields, {})
      child.instance_variable_set(:@dependencies, [])
    end

    FIELDS.each { |field| define_method(field) { |*values, **_| @fields[field] = values.first } }

    def depends_on(dependency)
      @dependencies << dependency
    end

    def test(&block)
      @tests = block
    end

    def [](name)
      raise "#{name} is not a dependency" unless @last.dependencies.include?(name)

      @last.new
    end

    def formula
      ObjectSpace.each_object(singleton_class).find { |child| child < self }
    end
  end

  def bin
    Pathname.new("bin")
  end

  def build
    Build.new
  end

  def version
    Version.new
  end

  def std_meson_args
    %w[--prefix=/usr/local --libdir=/usr/local/lib --buildtype=release --wrap-mode=nofallback]
  end

  def system(*command)
    puts command.join(" ")
  end
end

load ARGV.fetch(0)
formula = Formula.formula
Formula.last = formula
missing = Formula::FIELDS.reject { |field| formula.fields[field] }
abort "the formula lacks #{missing.join(', ')}" unless missing.empty?
abort "desc is too long" if formula.fields[:desc].length > 80
abort "the formula has no test" unless formula.tests
runtime = formula.dependencies.grep(String)
abort "dependencies are not sorted" unless runtime == runtime.sort
formula.new.install
formula.new.instance_eval(&formula.tests)
